import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EpisodeStore, type OpenEpisode } from '../../src/episodes/store.ts';

const LEASE_MS = 100;

type Act =
  | { readonly kind: 'open' | 'touch' | 'begin' | 'end'; readonly which: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'reap' };

const which = fc.nat({ max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constantFrom('open', 'touch', 'begin', 'end' as const), which }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 2, 50, 98, 100) }),
  fc.record({ kind: fc.constant('reap' as const) }),
);

function newEpisode(episodeId: string): OpenEpisode {
  // The store looks at nothing else of an episode.
  const parts = { kind: 'open', episodeId, touchedMs: 0, textBytes: 1, runningStep: undefined };
  return parts as unknown as OpenEpisode;
}

test('the reaper ends every lease that is over and no other, though it does not look each time', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let now = 0;
      const expired: string[] = [];
      const store = new EpisodeStore(
        {
          leaseMs: LEASE_MS,
          episodeCountMax: 1_000,
          episodeBytesMax: 1_000_000,
          endedCountMax: 10,
          endedBytesMax: 1_000,
        },
        () => now,
        ({ episodeId }) => expired.push(episodeId),
      );
      const open = new Map<string, { episode: OpenEpisode; touchedMs: number }>();
      let count = 0;
      for (const action of acts) {
        const known = 'which' in action ? [...open.values()][action.which] : undefined;
        if (action.kind === 'open') {
          const episode = newEpisode(`e${(count += 1)}`);
          store.put(episode);
          open.set(episode.episodeId, { episode, touchedMs: now });
        } else if (action.kind === 'wait') now += action.ms;
        else if (action.kind === 'reap') {
          store.reap();
          const over = [...open.values()].filter(
            ({ episode, touchedMs }) =>
              episode.runningStep === undefined && now - touchedMs > LEASE_MS,
          );
          const ids = over.map(({ episode }) => episode.episodeId);
          expect(expired.splice(0).toSorted()).toEqual(ids.toSorted());
          for (const id of ids) open.delete(id);
          expect(store.activeCount).toBe(open.size);
        } else if (known !== undefined) {
          // A step renews the lease when it ends.
          if (action.kind === 'begin') known.episode.runningStep = {} as OpenEpisode['runningStep'];
          else {
            known.episode.runningStep = undefined;
            store.touch(known.episode);
            known.touchedMs = now;
          }
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

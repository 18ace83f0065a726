import { episodePrint, type EpisodePrint } from '../replay/episode-print.ts';
import type { EpisodeSummary } from '../replay/ports.ts';
import { markdownEpisode } from '../replay/print-markdown.ts';
import { textEpisode } from '../replay/print-text.ts';
import { printable } from '../replay/printable.ts';
import { InputError } from '../tasks/task-set.ts';
import { EXIT_OK } from './exit-codes.ts';
import { printText } from './print.ts';
import type { ReplayFlags } from './replay.ts';
import { replayerOf, type ReplayRun } from './replay-run.ts';

/** Episodes that are named where a name is not unique. */
const NAMED_COUNT = 5;

/** Prints one episode; gives the exit code. */
export async function runReplayPrint(run: ReplayRun): Promise<number> {
  const { flags, library, episodes, signal } = run;
  const summary = chosenEpisode(episodes, flags.print ?? '');
  const trajectory = await library.read(summary.index);
  const replayer = replayerOf(run);
  try {
    printText(formatted(await episodePrint(trajectory, replayer, signal), flags));
    return EXIT_OK;
  } finally {
    await replayer.stop();
  }
}

/** By its id, its number, or the beginning of its id or of the id's last part. Throws {@link InputError} unless it is one. */
function chosenEpisode(episodes: readonly EpisodeSummary[], name: string): EpisodeSummary {
  const exact = episodes.filter(({ episodeId }) => episodeId === name);
  const numbered = /^\d{1,9}$/.test(name)
    ? episodes.filter(({ index }) => index === Number(name))
    : [];
  const named = episodes.filter(({ episodeId }) => {
    const last = episodeId.slice(episodeId.lastIndexOf('/') + 1);
    return episodeId.startsWith(name) || last.startsWith(name);
  });
  const found = [exact, numbered, named].find((some) => some.length > 0) ?? [];
  const [first, ...others] = found;
  if (first === undefined) {
    throw new InputError(`--print ${name}: no episode is called so; --list shows them`);
  }
  if (others.length === 0) return first;
  const shown = found
    .slice(0, NAMED_COUNT)
    .map(({ episodeId, index }) => `${episodeId} (${index})`);
  const rest = found.length > NAMED_COUNT ? ', ...' : '';
  throw new InputError(
    `--print ${name}: ${found.length} episodes are called so: ${shown.join(', ')}${rest}`,
  );
}

function formatted(print: EpisodePrint, { format = 'text', prompt = false }: ReplayFlags): string {
  switch (format) {
    case 'text':
      return printable(textEpisode(print, { prompt }));
    case 'markdown':
      return printable(markdownEpisode(print, { prompt }));
    case 'json':
      return `${JSON.stringify(jsonEpisode(print, prompt), undefined, 2)}\n`;
  }
}

function jsonEpisode(
  { trajectory, steps, goldSql, comparison, notes }: EpisodePrint,
  prompt: boolean,
) {
  const { messages, ...rest } = trajectory;
  return {
    trajectory: prompt ? { ...rest, messages } : rest,
    steps: steps.map(({ step, calls, observations }) => ({
      step_index: step.step_index,
      calls,
      cut: observations.map(({ cut }) => cut ?? null),
    })),
    gold_sql: goldSql ?? null,
    comparison: comparison ?? null,
    notes,
  };
}

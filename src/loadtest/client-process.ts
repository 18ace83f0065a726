import { z } from 'zod';
import { ClientMeter } from './client-meter.ts';
import { ClientPlayer } from './client-player.ts';
import type { ClientNews, ClientOrder } from './messages.ts';
import { openSource } from './open-source.ts';

/**
 * One client process of a load: its entry file. A process, not a thread: the CPU time of a thread can't be told on Node 20, and
 * clients that share a heap wait for each other's garbage.
 */

/** How often what was counted is sent, milliseconds. */
const NEWS_MS = 250;

/** How long after a signal the parent may take to say what is next, milliseconds. */
const ORPHAN_MS = 5_000;

const OrderKind = z.looseObject({
  kind: z.enum(['start', 'prepare', 'play', 'play_open', 'stop']),
});

const meter = new ClientMeter();
let player: ClientPlayer | undefined;
let thinkMsMax = 0;
let isPlaying = false;

function say(news: ClientNews): void {
  // The parent is gone when this fails, and 'disconnect' ends the process.
  if (process.connected) process.send?.(news, undefined, undefined, () => undefined);
}

function sendNews(): void {
  // Without anything to tell, it says that it lives.
  say({ kind: 'news', batches: player?.takeNews() ?? [], openCount: player?.openCount ?? 0 });
}

async function obey(order: ClientOrder): Promise<void> {
  if (order.kind === 'start') {
    const { options, clientIndex, clientCount } = order;
    const source = await openSource(options.source);
    player = new ClientPlayer(options, source, clientIndex, clientCount);
    return say({ kind: 'start' });
  }
  if (player === undefined) throw new Error(`${order.kind} before start`);
  switch (order.kind) {
    case 'prepare':
      await player.prepare(order.batchIndex);
      return say({ kind: 'prepare' });
    case 'play':
    case 'play_open': {
      meter.restart();
      isPlaying = true;
      thinkMsMax =
        order.kind === 'play' ? await player.play(order.batchIndex) : await player.playOpen(order);
      isPlaying = false;
      const usage = meter.usage(thinkMsMax);
      sendNews();
      return say({ kind: order.kind, usage });
    }
    case 'stop':
      return await stop();
  }
}

async function stop(): Promise<void> {
  if (player === undefined) return;
  const usage = meter.usage(isPlaying ? 0 : thinkMsMax);
  await player.stop();
  sendNews();
  say({ kind: 'stopped', usage });
}

setInterval(sendNews, NEWS_MS);
process.on('message', (message) => {
  const order = OrderKind.parse(message) as unknown as ClientOrder;
  obey(order).catch((error: unknown) => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say({ kind: 'failed', message });
  });
});
// The parent is gone, or has heard all.
process.on('disconnect', () => process.exit());
// Ctrl-C goes to the whole process group: what comes back now may come from a server that is ending. If the parent was not meant
// as well, it has lost a client, and must see that.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void player?.stop();
    setTimeout(() => process.exit(1), ORPHAN_MS);
  });
}

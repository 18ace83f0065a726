import type { EngineInfo } from '../episodes/ports.ts';
import type { Replayer } from './ports.ts';

const UNKNOWN_ENGINE: EngineInfo = { sqliteVersion: '', engineSha256: '' };

/**
 * A replayer that is opened by its first use, so that looking at records needs no database. What opening rejects with, every
 * later use rejects with too.
 */
export function lazyReplayer(open: () => Promise<Replayer>): Replayer {
  let opening: Promise<Replayer> | undefined;
  let opened: Replayer | undefined;
  let stopped = false;
  const get = async (): Promise<Replayer> => {
    if (stopped) throw new Error('the replayer has been stopped');
    opening ??= open();
    opened = await opening;
    return opened;
  };
  return {
    get engine() {
      return opened?.engine ?? UNKNOWN_ENGINE;
    },
    get serverVersion() {
      return opened?.serverVersion ?? '';
    },
    get catalogSha256() {
      return opened?.catalogSha256;
    },
    get warnings() {
      return opened?.warnings ?? [];
    },
    check: async (...args) => await (await get()).check(...args),
    compareAnswer: async (...args) => await (await get()).compareAnswer(...args),
    runQuery: async (...args) => await (await get()).runQuery(...args),
    fork: async (...args) => await (await get()).fork(...args),
    goldSql: async (...args) => await (await get()).goldSql(...args),
    schema: async (...args) => await (await get()).schema(...args),
    stop: async () => {
      stopped = true;
      // What could not be opened need not be stopped.
      const replayer = await opening?.catch(() => undefined);
      await replayer?.stop();
    },
  };
}

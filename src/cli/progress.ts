import { Presets, SingleBar } from 'cli-progress';

/** Shows how far long work is. */
export interface Progress {
  readonly update: (count: number, totalCount: number) => void;
  /** Takes it off the screen; idempotent. */
  readonly stop: () => void;
}

/** A progress bar on stderr, which is nothing unless a person is looking. */
export function showProgress(title: string): Progress {
  if (!process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    {
      format: `${title} {bar} {percentage}% {value}/{total} {eta_formatted} left`,
      hideCursor: true,
      clearOnComplete: true,
      stream: process.stderr,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update: (count, totalCount) => {
      if (!started) bar.start(totalCount, count);
      started = true;
      bar.update(count);
    },
    stop: () => {
      if (started) bar.stop();
      started = false;
    },
  };
}

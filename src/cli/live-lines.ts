import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';

/** How a command shows how far it is. */
export const PROGRESS_KINDS = ['auto', 'live', 'plain', 'none'] as const;

/** `auto`: live where a person looks at stderr, else none. */
export type ProgressKind = (typeof PROGRESS_KINDS)[number];

/** How often the live lines are drawn, milliseconds. */
const LIVE_MS = 200;

/** How often a plain line is written, milliseconds. */
const PLAIN_MS = 2_000;

/** What is shown; worked out only when it is drawn. */
export interface Shown {
  readonly live: () => readonly string[];
  readonly plain: () => string;
}

/** Shows how far long work is, on stderr. */
export interface LiveLines {
  /** Takes the newest state; draws it if it is time. */
  readonly update: (shown: Shown) => void;
  /** Takes live lines off the screen; idempotent. */
  readonly stop: () => void;
}

/** Opens a display of a kind on stderr. */
export function openLiveLines(kind: ProgressKind): LiveLines {
  const stream = process.stderr;
  const chosen = kind === 'auto' ? (stream.isTTY ? 'live' : 'none') : kind;
  if (chosen === 'none') return { update: () => undefined, stop: () => undefined };
  if (chosen === 'plain') {
    const due = every(PLAIN_MS);
    return {
      update: ({ plain }) => void (due() && stream.write(`${plain()}\n`)),
      stop: () => undefined,
    };
  }
  const due = every(LIVE_MS);
  let drawnCount = 0;
  const clear = (): void => {
    if (drawnCount === 0) return;
    moveCursor(stream, 0, -drawnCount);
    cursorTo(stream, 0);
    clearScreenDown(stream);
    drawnCount = 0;
  };
  let stopped = false;
  return {
    update: ({ live }) => {
      if (stopped || !due()) return;
      // A line that wraps would be two, and the cursor would go up too little.
      const width = Math.max(20, (stream.columns ?? 80) - 1);
      const lines = live().map((line) => line.slice(0, width));
      clear();
      stream.write(`${lines.join('\n')}\n`);
      drawnCount = lines.length;
    },
    stop: () => {
      stopped = true;
      clear();
    },
  };
}

function every(ms: number): () => boolean {
  let nextMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return false;
    nextMs = nowMs + ms;
    return true;
  };
}

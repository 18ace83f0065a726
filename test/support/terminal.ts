import { setTimeout as sleep } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';

/** A program on a terminal of its own: a real pseudo-terminal, and a terminal emulator that reads what it writes. */
export interface TestTerminal {
  readonly processId: number;
  /** The rows of the screen, without blanks at their ends. */
  screen(): string;
  /** Types keys, as bytes: `\r` is Enter, `\x1b` Esc. */
  type(keys: string): void;
  /** Pastes as a terminal does that was asked to mark pastes. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves with the screen once it fits; fails with the screen as it is then. */
  waitFor(what: string | RegExp): Promise<string>;
  /** Resolves with the screen once it no longer fits. */
  waitUntilGone(what: string | RegExp): Promise<string>;
  /** Resolves once the program has ended, with its exit code and signal. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: number | undefined }>;
  /** Everything that the program wrote, as it wrote it. */
  written(): string;
  /** The emulator. */
  readonly emulator: xterm.Terminal;
  kill(signal?: string): void;
}

const WAIT_MS = 30_000;
const POLL_MS = 20;
const LAST_WORDS_MS = 100;

/** Starts a program on a terminal of that size. */
export function openTerminal(
  command: readonly string[],
  options: {
    readonly columns: number;
    readonly rows: number;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly cwd?: string;
  },
): TestTerminal {
  const { columns, rows } = options;
  const [file = '', ...args] = command;
  // CI makes ink draw nothing but the last frame, and NO_COLOR may be set where the tests run.
  const env = { ...process.env, TERM: 'xterm-256color', NO_COLOR: undefined, ...options.env };
  const child = pty.spawn(file, args, {
    cols: columns,
    rows,
    env: Object.fromEntries(
      Object.entries(env).filter(([, value]) => value !== undefined),
    ) as Record<string, string>,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  let written = '';
  child.onData((data) => {
    written += data;
    emulator.write(data);
  });
  const ended = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    // Its last words may still be on their way, and the emulator reads what it was given a moment later.
    child.onExit(({ exitCode, signal }) => {
      setTimeout(() => emulator.write('', () => resolve({ exitCode, signal })), LAST_WORDS_MS);
    });
  });
  const screen = (): string => screenText(emulator);
  const until = async (fits: (shown: string) => boolean, wanted: string): Promise<string> => {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const shown = screen();
      if (fits(shown)) return shown;
      if (Date.now() > deadline) throw new Error(`the screen never showed ${wanted}:\n${shown}`);
      await sleep(POLL_MS);
    }
  };
  const has = (what: string | RegExp) => (shown: string) =>
    typeof what === 'string' ? shown.includes(what) : what.test(shown);
  return {
    processId: child.pid,
    screen,
    type: (keys) => child.write(keys),
    paste: (text) => child.write(`\x1b[200~${text}\x1b[201~`),
    resize: (newColumns, newRows) => {
      emulator.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    waitFor: (what) => until(has(what), String(what)),
    waitUntilGone: (what) => until((shown) => !has(what)(shown), `anything but ${String(what)}`),
    ended,
    written: () => written,
    emulator,
    kill: (signal) => child.kill(signal),
  };
}

/** The rows of an emulator's screen, without blanks at their ends. */
export function screenText(emulator: xterm.Terminal): string {
  const { active } = emulator.buffer;
  const lines: string[] = [];
  for (let row = 0; row < emulator.rows; row += 1) {
    lines.push(active.getLine(active.baseY + row)?.translateToString(true) ?? '');
  }
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

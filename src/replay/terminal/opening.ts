import { themeFor } from './theme.ts';
import { TerminalScreen } from './screen.ts';

const CTRL_C = 0x03;

/** The terminal while records are read: it has been taken, and keys are kept for the program that follows. */
export interface Opening {
  readonly screen: TerminalScreen;
  /** Hands the terminal over: it stays as it is, and the keys that were typed are read next. */
  handOver(): void;
  /** Gives the terminal back as it was; idempotent, and nothing once it was handed over. */
  leave(): void;
}

/**
 * Takes the terminal at once: reading many records takes seconds, in which it would echo every key to the shell. Undefined if
 * stdin or stdout is none. Ctrl-C calls `interrupt`, as do the signals that end a program.
 */
export function openTerminalEarly(text: string, interrupt: () => void): Opening | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || process.env['TERM'] === 'dumb') return undefined;
  const screen = new TerminalScreen(stdout, themeFor(process.env));
  const typed: Buffer[] = [];
  const keep = (): void => {
    // The bytes may be text already: whoever read before chooses the encoding.
    const read = stdin.read() as Buffer | string | null;
    if (read === null) return;
    const bytes = Buffer.from(read);
    if (bytes.includes(CTRL_C)) interrupt();
    else typed.push(bytes);
  };
  const giveBack = (): void => screen.leave();
  let open = true;
  const stop = (): boolean => {
    if (!open) return false;
    open = false;
    stdin.off('readable', keep);
    process.off('exit', giveBack);
    for (const signal of SIGNALS) process.off(signal, interrupt);
    return true;
  };
  stdin.setRawMode(true);
  // Not 'data': to stop that takes a pause, after which Node reads no more for those who listen to 'readable', as ink does.
  stdin.on('readable', keep);
  process.on('exit', giveBack);
  for (const signal of SIGNALS) process.on(signal, interrupt);
  screen.enter();
  screen.announce(text);
  return {
    screen,
    handOver: () => {
      if (stop() && typed.length > 0) stdin.unshift(Buffer.concat(typed));
    },
    leave: () => {
      if (!stop()) return;
      screen.leave();
      stdin.setRawMode(false);
      stdin.unref();
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

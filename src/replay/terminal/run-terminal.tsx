import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { render } from 'ink';
import { InputError } from '../../tasks/task-set.ts';
import type { TerminalOptions } from '../ports.ts';
import { App } from './app.tsx';
import { editorOf, Program, type TerminalActions } from './program.ts';
import type { Opening } from './opening.ts';
import { messageOf } from './run-task.ts';
import { inkSink, TerminalScreen } from './screen.ts';
import { themeFor } from './theme.ts';

/** What a shell sees of a process that a signal ended. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Lets a person walk through recorded episodes on the terminal, until they quit. Gives the exit code: 0, or that of the signal
 * that ended it (130 for Ctrl-C). The terminal is given back as it was whatever happens. Rejects with `InputError` if stdin or
 * stdout is no terminal. A terminal that was taken early is gone on with. Library and replayer stay open: they are their owner's.
 */
export async function runTerminal(options: TerminalOptions, opening?: Opening): Promise<number> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || process.env['TERM'] === 'dumb') {
    throw new InputError('the program needs a terminal that can move its cursor');
  }
  let end: (outcome: Outcome) => void = () => {};
  const ended = new Promise<Outcome>((resolve) => {
    end = resolve;
  });
  const actions: TerminalActions = {
    editOutside: (text) => outside(screen, text),
    suspend: () => suspend(screen, redraw),
    quit: (interrupted) => end({ exitCode: interrupted ? SIGNAL_CODES.SIGINT : 0 }),
    fail: (error) => end({ error }),
  };
  const screen: TerminalScreen =
    opening?.screen ?? new TerminalScreen(stdout, themeFor(process.env));
  const program: Program = new Program(options, screen.size, actions);
  const redraw = (): void => {
    screen.forget();
    program.dispatch({ kind: 'resized', size: screen.size });
  };
  const unwatch = watch(screen, redraw, end);
  // Before anything is drawn: until then the terminal itself echoes keys, and Enter would scroll the screen.
  stdin.setRawMode(true);
  screen.enter();
  opening?.handOver();
  const app = render(<App program={program} screen={screen} />, {
    stdout: inkSink(),
    stdin,
    // Every frame at once, whatever CI is set to.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  app.waitUntilExit().then(
    () => end({ exitCode: 0 }),
    (error: unknown) => end({ error }),
  );
  const outcome = await ended;
  unwatch();
  screen.leave();
  app.unmount();
  stdin.setRawMode(false);
  stdin.pause();
  await program.close();
  if ('error' in outcome) throw outcome.error;
  return outcome.exitCode;
}

type Outcome = { readonly exitCode: number } | { readonly error: unknown };

/** Listens to what else can happen to a terminal; gives a function that stops listening. */
function watch(
  screen: TerminalScreen,
  redraw: () => void,
  end: (outcome: Outcome) => void,
): () => void {
  const { stdin, stdout } = process;
  const signals = Object.entries(SIGNAL_CODES).map(([signal, exitCode]) => ({
    signal: signal as keyof typeof SIGNAL_CODES,
    listener: () => end({ exitCode }),
  }));
  const leave = (): void => screen.leave();
  const gone = (): void => end({ exitCode: SIGNAL_CODES.SIGHUP });
  for (const { signal, listener } of signals) process.on(signal, listener);
  process.on('exit', leave);
  // Before Node prints what nobody caught, which would be gone with the other screen.
  process.on('uncaughtExceptionMonitor', leave);
  stdout.on('resize', redraw);
  stdout.on('error', gone);
  stdin.on('end', gone);
  stdin.on('error', gone);
  return () => {
    for (const { signal, listener } of signals) process.off(signal, listener);
    process.off('exit', leave);
    process.off('uncaughtExceptionMonitor', leave);
    stdout.off('resize', redraw);
    stdout.off('error', gone);
    stdin.off('end', gone);
    stdin.off('error', gone);
  };
}

/** Lets the user's editor change a text. Node waits meanwhile, so that it takes none of the editor's keys. */
function outside(screen: TerminalScreen, text: string): ReturnType<TerminalActions['editOutside']> {
  const editor = editorOf(process.env);
  if (editor === undefined) return { text: undefined, problem: '$EDITOR is not set' };
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-edit-'));
  try {
    const file = path.join(folder, 'query.sql');
    writeFileSync(file, text === '' ? '' : `${text}\n`);
    const done = away(screen, () =>
      spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' }),
    );
    if (done.status !== 0) {
      return { text: undefined, problem: `${editor} ended with ${done.status ?? done.signal}` };
    }
    return { text: readFileSync(file, 'utf8'), problem: '' };
  } catch (error) {
    return { text: undefined, problem: `${editor}: ${messageOf(error)}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does something with the terminal as it was before. */
function away<Value>(screen: TerminalScreen, act: () => Value): Value {
  process.stdin.setRawMode(false);
  screen.leave();
  try {
    return act();
  } finally {
    process.stdin.setRawMode(true);
    screen.enter();
  }
}

/** To the shell, as Ctrl-Z does elsewhere; `fg` comes back. */
function suspend(screen: TerminalScreen, redraw: () => void): void {
  process.stdin.setRawMode(false);
  screen.leave();
  process.once('SIGCONT', () => {
    process.stdin.setRawMode(true);
    screen.enter();
    redraw();
  });
  // The whole job, with whatever started this process.
  process.kill(0, 'SIGTSTP');
}

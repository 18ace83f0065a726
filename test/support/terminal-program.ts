import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { openTerminal, type TestTerminal } from './terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = path.join(root, 'dist/src/main.js');
const screens = path.join(root, 'test/replay/terminal/screens');

/** Keys by their names, as a terminal sends them. */
export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageDown: '\x1b[6~',
  ctrlC: '\x03',
  ctrlO: '\x0f',
  ctrlS: '\x13',
  ctrlU: '\x15',
  ctrlZ: '\x1a',
} as const;

/** Where a program runs. */
export interface ProgramOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The command line of `sqlenv replay` on a folder of records. */
export function replayCommand(folder: string, flags: readonly string[] = []): string[] {
  return [process.execPath, main, 'replay', folder, ...flags];
}

/** Starts `sqlenv replay` on a terminal of 80x24. */
export function openReplay(folder: string, options: ProgramOptions = {}): TestTerminal {
  const { columns = 80, rows = 24, flags = [], env = {} } = options;
  return openTerminal(replayCommand(folder, flags), { columns, rows, env });
}

const WAIT_MS = 30_000;
const POLL_MS = 50;
/** How long a screen must stay as it is before it becomes a golden one. */
const STILL_MS = 1_500;

/** Waits until the screen is the stored one; with UPDATE_SCREENS=1 it is stored once it stands still. */
export async function expectScreen(terminal: TestTerminal, name: string): Promise<void> {
  const file = path.join(screens, `${name}.txt`);
  if (process.env['UPDATE_SCREENS'] === '1') {
    mkdirSync(screens, { recursive: true });
    writeFileSync(file, await stillScreen(terminal));
    return;
  }
  if (!existsSync(file)) throw new Error(`${file} is missing: UPDATE_SCREENS=1 makes it`);
  const wanted = readFileSync(file, 'utf8');
  const deadline = Date.now() + WAIT_MS;
  while (steadyText(terminal) !== wanted && Date.now() < deadline) await sleep(POLL_MS);
  expect(steadyText(terminal)).toBe(wanted);
}

async function stillScreen(terminal: TestTerminal): Promise<string> {
  let [shown, since] = [steadyText(terminal), Date.now()];
  while (Date.now() - since < STILL_MS) {
    await sleep(POLL_MS);
    const now = steadyText(terminal);
    if (now !== shown) [shown, since] = [now, Date.now()];
  }
  return shown;
}

/** The screen without what is different in every run: times of queries that ran just now, and ids that were just made. */
function steadyText(terminal: TestTerminal): string {
  return (
    terminal
      .screen()
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '########-####-####-####-############')
      .replaceAll(/\b(queue|query|cpu|step) \d+(?:\.\d+)? (?:ms|s)\b/g, '$1 # ms')
      // Such a line is as long as its numbers are.
      .replaceAll(/(# ms) +(\S?)$/gm, '$1 $2')
  );
}

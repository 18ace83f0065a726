import type { Command } from 'commander';
import type { ConfigKey } from '../config.ts';
import { addSettings } from './options.ts';

const AFTER_HELP = `
The gold of every task is played as a policy would: as a tool call, then as the answer,
through real episodes. A task whose gold does not earn 1 can't be learned from.

  gold_fails   the gold does not run, or does not earn 1
  slow         the gold takes --slow-ms of CPU time or more
  empty        the gold has no rows, so any query without rows is right
  clock        the gold reads the clock or a random function
  tie          the gold's LIMIT cuts between rows that are equal on its sort keys

Exit codes: 0 every gold earns 1, 1 some fail or inputs are broken, 2 misused.

Examples:
  sqlenv validate --demo
  sqlenv validate --spider ~/spider --split dev
  sqlenv validate --databases dbs --tasks tasks.jsonl --json > report.json
  sqlenv validate --address 127.0.0.1:50051
`;

/** Settings that a server of its own is given. */
export const SERVER_KEYS: readonly ConfigKey[] = [
  'demo',
  'spider',
  'databases',
  'tasks',
  'split',
  'skipBroken',
  'threads',
  'slowThreads',
  'queryCpuMsMax',
  'queryWallMsMax',
  'comparisonMode',
];

/** The flags of `sqlenv validate` besides settings. */
export interface ValidateFlags {
  readonly address?: string;
  readonly json?: boolean;
  readonly slowMs: string;
  readonly concurrency: string;
}

/** `sqlenv validate`. */
export function registerValidate(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('validate')
    .summary("play every task's gold and report what is wrong")
    .description(
      "Plays every task's gold through real episodes and reports tasks that can't be trusted.",
    )
    .option('--address <host:port>', 'validate a running server instead of starting one')
    .option('--slow-ms <number>', 'CPU time from which a gold counts as slow, milliseconds', '100')
    .option('--concurrency <number>', 'episodes side by side', '32')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', AFTER_HELP);
  addSettings(command, SERVER_KEYS);
  command.action(async () => {
    const { runValidate } = await import('./run-validate.ts');
    finish(await runValidate(command));
  });
}

import type { Command } from 'commander';

const AFTER_HELP = `
Starts a server of its own on the demo databases and plays one batch as a trainer does,
all episodes at once: 64 tasks x 8 rollouts by default. The rollouts follow scripts: gold,
wrong, malformed, hostile (writes, ATTACH, ...) and runaway (an endless query).

Exit codes: 0 every episode got the reward of its script, 1 one did not, 2 misused.

Examples:
  sqlenv demo
  sqlenv demo --tasks 16 --rollouts 4 --json
  sqlenv demo --record trajectories && sqlenv replay trajectories
`;

/** The flags of `sqlenv demo`. */
export interface DemoFlags {
  readonly tasks: string;
  readonly rollouts: string;
  readonly queryMsMax: string;
  readonly json?: boolean;
  readonly record?: string;
  readonly recordGold?: boolean;
}

/** `sqlenv demo`. */
export function registerDemo(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('demo')
    .summary('play a training batch with scripted policies')
    .description('Plays one training batch with scripted policies against a server that it starts.')
    .option('--tasks <number>', 'tasks of the batch', '64')
    .option('--rollouts <number>', 'episodes of each task', '8')
    .option('--query-ms-max <number>', 'limit of one query, milliseconds', '1000')
    .option('--json', 'print the figures as JSON')
    .option('--record <dir>', 'append the trajectories to files in this folder')
    .option('--record-gold', 'with --record: the gold SQL, too')
    .addHelpText('after', AFTER_HELP);
  command.action(async () => {
    const { runDemo } = await import('./run-demo.ts');
    finish(await runDemo(command.opts<DemoFlags>()));
  });
}

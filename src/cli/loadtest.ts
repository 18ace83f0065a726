import type { Command } from 'commander';
import type { ConfigKey } from '../config.ts';
import { addSettings } from './options.ts';

const AFTER_HELP = `
Behaves as a trainer does: batches of --prompts x --rollouts episodes, all at once, a batch
when the last one has ended. Without ADDRESS it starts a server of its own, on the demo
databases unless told otherwise. Every reward is held against its script.

With --arrival-rate episodes arrive by the clock instead, and times count from when a call
was meant to begin. Ctrl-C ends it early, with the report of what was measured.

Policies: gold, wrong, malformed, repeated (as a sibling), hostile, runaway; their shares
need not add up to 100. Turns: fixed:3, uniform:1,4, geometric:0.5 (the answer included).
Think times in ms: none, fixed:200, uniform:100,900, lognormal:800,0.6.

Exit codes: 0 all is well, 1 calls failed, rewards were wrong, a --fail-if holds or it did
not get to its end, 2 misused, 130 stopped by Ctrl-C. A --fail-if about errors, lost or
rewards.wrong decides about those instead.

Examples:
  sqlenv loadtest
  sqlenv loadtest 127.0.0.1:50051 --metrics-address 127.0.0.1:9464 --think lognormal:800,0.6
  sqlenv loadtest --spider ~/spider --split dev --batches 20 --json run.json --html run.html
  sqlenv loadtest --policies gold=95,runaway=5 --fail-if 'honest.p99>200ms'
  sqlenv loadtest --arrival-rate 300 --seconds 60 --fail-if 'step.p99>50ms'
  sqlenv loadtest --compare run.json --fail-if 'compare.worse>0'
  sqlenv loadtest --trajectories trajectories --spider ~/spider
`;

/** Settings that a server of its own is started with. */
export const LOADTEST_SERVER_KEYS: readonly ConfigKey[] = [
  'demo',
  'spider',
  'databases',
  'tasks',
  'split',
  'skipBroken',
  'threads',
  'slowThreads',
  'queueCountMax',
  'episodeCountMax',
];

/** The flags of `sqlenv loadtest`, without those of the server. */
export interface LoadtestFlags {
  readonly prompts: string;
  readonly rollouts: string;
  readonly batches?: string;
  readonly seconds?: string;
  readonly warmup: string;
  readonly seed: string;
  readonly turns: string;
  readonly think?: string;
  readonly policies: string;
  readonly trajectories?: readonly string[];
  readonly queryMsMax?: string;
  readonly score?: boolean;
  readonly arrivalRate?: string;
  readonly arrivals: string;
  readonly connections: string;
  readonly clientWorkers?: string;
  readonly transport: string;
  readonly deadlineMs: string;
  readonly timeLimit?: string;
  readonly metricsAddress?: string;
  readonly stepSeconds: string;
  readonly progress: string;
  readonly json?: string;
  readonly html?: string;
  readonly compare?: string;
  readonly failIf?: readonly string[];
  readonly split?: string;
}

/** `sqlenv loadtest`. */
export function registerLoadtest(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('loadtest')
    .summary('put a server under the load of a trainer and measure it')
    .description('Plays the batches of virtual trainers against a server and reports what it took.')
    .argument('[address]', 'host:port of a running server; without it one is started')
    .addHelpText('after', AFTER_HELP);
  addLoadFlags(command);
  addReportFlags(command);
  addSettings(command, LOADTEST_SERVER_KEYS);
  command.action(async (address: string | undefined) => {
    // Loaded only now: help texts and mistakes need not wait for gRPC.
    const { runLoadtest } = await import('./run-loadtest.ts');
    finish(await runLoadtest(address, command));
  });
}

function addLoadFlags(command: Command): void {
  command
    .optionsGroup('Load:')
    .option('--prompts <number>', 'prompts of a batch', '64')
    .option('--rollouts <number>', 'episodes of each prompt', '8')
    .option('--batches <number>', 'batches that are measured (default: 5, without --seconds)')
    .option('--seconds <number>', 'no batch begins after so many seconds')
    .option('--warmup <number>', 'batches that are played first and not measured', '1')
    .option('--turns <distribution>', 'turns of an episode', 'fixed:3')
    .option('--think <distribution>', 'think time before each turn (default: none, or as recorded)')
    .option(
      '--policies <shares>',
      'what rollouts do, in shares',
      'gold=60,wrong=20,malformed=5,repeated=10,hostile=5',
    )
    .option('--trajectories <path...>', 'play recorded episodes instead: files or folders')
    .option('--query-ms-max <number>', 'limit of one query, ms (default: 2000, or as recorded)')
    .option('--score', 'have every answer scored by Score as well')
    .option('--seed <number>', 'the same seed plays the same', '1')
    .option('--arrival-rate <number>', 'open loop: so many episodes arrive a second')
    .option('--arrivals <kind>', 'open loop: poisson or uniform', 'poisson')
    .optionsGroup('Client:')
    .option('--connections <number>', 'connections to the server', '8')
    .option('--client-workers <number>', 'client processes (default: connections or cores)')
    .option('--transport <kind>', 'how calls travel: unary or stream', 'unary')
    .option('--deadline-ms <number>', 'deadline of each call, ms', '60000')
    .option('--time-limit <seconds>', 'cut everything off after so long (default: 600 or more)')
    .option('--metrics-address <host:port>', "where a running server's metrics are");
}

function addReportFlags(command: Command): void {
  command
    .optionsGroup('Report:')
    .option('--step-seconds <number>', 'how long a training step takes', '80')
    .option('--progress <kind>', 'auto, live, plain or none, on stderr', 'auto')
    .option('--json <file>', 'write the report as JSON; - is stdout')
    .option('--html <file>', 'write the report as a page with plots')
    .option('--compare <file>', 'compare with the JSON report of an earlier load')
    .option(
      '--fail-if <condition>',
      "exit with 1 if it holds, as 'step.p99>50ms'; can be repeated",
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    );
}

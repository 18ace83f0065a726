import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Command } from 'commander';
import { ConfigError } from '../config.ts';
import { clientBottlenecks } from '../loadtest/bottleneck.ts';
import { compareReports } from '../loadtest/compare.ts';
import type { LoadOutcome } from '../loadtest/outcome.ts';
import { liveLines, plainLine } from '../loadtest/progress-lines.ts';
import { htmlReport } from '../loadtest/report-html.ts';
import { textComparison, textReport } from '../loadtest/report-text.ts';
import {
  createReport,
  parseReport,
  withThresholds,
  type ComparableReport,
  type LoadReport,
  type ReportFacts,
} from '../loadtest/report.ts';
import { runLoad } from '../loadtest/run-load.ts';
import { readTasks } from '../loadtest/server-tasks.ts';
import { checkThresholds } from '../loadtest/thresholds.ts';
import { VERSION } from '../package-root.ts';
import { CallError, connectClient, type SqlenvClient } from '../rpc/client.ts';
import { InputError } from '../tasks/task-set.ts';
import { startChildServer, type ChildServer } from './child-server.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { openLiveLines } from './live-lines.ts';
import { LOADTEST_SERVER_KEYS, type LoadtestFlags } from './loadtest.ts';
import { checkAddress, planLoadtest, type LoadtestPlan } from './loadtest-options.ts';
import { configOf, flagsOf } from './options.ts';
import { printText } from './print.ts';
import { watchStop, type StopWatch } from './stop-watch.ts';
import { checkOutput, writeOutput } from './write-output.ts';

/** How long a server may take to say what it is, milliseconds. */
const HELLO_MS = 10_000;

/** Loads a server and reports; gives the exit code. */
export async function runLoadtest(address: string | undefined, command: Command): Promise<number> {
  const flags = command.opts<LoadtestFlags>();
  const plan = planLoadtest(flags);
  if (address !== undefined) checkAddressUse(address, command);
  const before = flags.compare === undefined ? undefined : readReport(flags.compare);
  if (flags.json !== undefined && flags.json !== '-') checkOutput(flags.json);
  if (flags.html !== undefined) checkOutput(flags.html);
  const stop = watchStop();
  let server: ChildServer | undefined;
  try {
    if (address === undefined) server = await startServer(command);
    const report = await measure(address, server, flags, plan, stop);
    return output(report, before, flags, plan, stop);
  } finally {
    await server?.stop();
    stop.close();
  }
}

/** Settings of a server say nothing to one that runs already. */
function checkAddressUse(address: string, command: Command): void {
  checkAddress('ADDRESS', address);
  const given = LOADTEST_SERVER_KEYS.filter(
    // The split chooses among the tasks of a running server, too.
    (key) => key !== 'split' && command.getOptionValueSource(key) === 'cli',
  );
  if (given.length === 0) return;
  const names = given.map(
    (key) => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
  );
  throw new ConfigError([
    `${names.join(', ')}: the server at ${address} runs already; leave ADDRESS out to start one`,
  ]);
}

async function startServer(command: Command): Promise<ChildServer> {
  const config = configOf(command);
  const { spider, databases, tasks } = config;
  const named = spider ?? databases ?? tasks;
  return await startChildServer([
    ...flagsOf(config, LOADTEST_SERVER_KEYS),
    ...(named === undefined && !config.demo ? ['--demo'] : []),
    ...['--metrics-port', '0', '--log-level', 'error'],
  ]);
}

async function measure(
  given: string | undefined,
  server: ChildServer | undefined,
  flags: LoadtestFlags,
  plan: LoadtestPlan,
  stop: StopWatch,
): Promise<LoadReport> {
  const address = given ?? server?.address ?? '';
  const client = connectClient(address);
  const startedAt = new Date().toISOString();
  try {
    const hello = await sayHello(client, address);
    const tasks = plan.isRecorded ? [] : await readTasks(client, flags.split ?? '');
    if (tasks.length === 0 && !plan.isRecorded)
      throw new InputError('the server has no such tasks');
    const facts = factsOf(plan, address, server !== undefined, startedAt, hello);
    const outcome = await play(plan, address, server?.metricsUrl, tasks, stop);
    const place = { coreCount: cpus().length, isLocal: isLocal(address) };
    return createReport(outcome, facts, clientBottlenecks(outcome, place));
  } finally {
    client.disconnect();
  }
}

type Hello = Awaited<ReturnType<SqlenvClient['getInfo']>>;

async function sayHello(client: SqlenvClient, address: string): Promise<Hello> {
  try {
    return await client.getInfo({}, { deadlineMs: HELLO_MS });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw new InputError(`no server answers at ${address}: ${error.message}`);
  }
}

async function play(
  plan: LoadtestPlan,
  address: string,
  ownMetricsUrl: string | undefined,
  tasks: Parameters<LoadtestPlan['sourceOf']>[0],
  stop: StopWatch,
): Promise<LoadOutcome> {
  const display = openLiveLines(plan.progress);
  const goal = { batchCount: plan.batchCount, seconds: plan.seconds };
  const source = plan.sourceOf(tasks);
  const metricsUrl = plan.metricsUrl ?? ownMetricsUrl;
  try {
    return await runLoad(
      { ...plan.load, address, metricsUrl, source },
      {
        signal: stop.signal,
        onProgress: (progress) =>
          display.update({
            live: () => liveLines(progress(), goal),
            plain: () => plainLine(progress(), goal),
          }),
      },
    );
  } finally {
    display.stop();
  }
}

function factsOf(
  plan: LoadtestPlan,
  address: string,
  own: boolean,
  startedAt: string,
  hello: Hello,
): ReportFacts {
  const [cpu] = cpus();
  return {
    started_at: startedAt,
    sqlenv_version: VERSION,
    machine: {
      node_version: process.version,
      platform: `${process.platform} ${process.arch}`,
      core_count: cpus().length,
      cpu_model: cpu?.model ?? '',
      load_average: loadavg()[0] ?? 0,
    },
    server: {
      address,
      own,
      version: hello.version,
      sqlite_version: hello.sqliteVersion,
      catalog_sha256: hello.catalogSha256,
      task_count: hello.taskCount,
    },
    load: plan.facts,
    step_seconds: plan.stepSeconds,
  };
}

function isLocal(address: string): boolean {
  return /^(localhost|127\.|\[::1\])/.test(address);
}

function readReport(file: string): ComparableReport {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`--compare: ${file}: ${(error as Error).message}`]);
  }
  const report = parseReport(text);
  if (typeof report === 'string') throw new ConfigError([`--compare: ${file}: ${report}`]);
  return report;
}

/** Writes the report wherever it was asked for; gives the exit code. */
function output(
  measured: LoadReport,
  before: ComparableReport | undefined,
  flags: LoadtestFlags,
  plan: LoadtestPlan,
  stop: StopWatch,
): number {
  const comparison = before && compareReports(before, measured);
  const worseCount = comparison?.changes.filter(({ verdict }) => verdict === 'worse').length;
  const metrics = {
    ...measured.metrics,
    ...(worseCount === undefined ? {} : { 'compare.worse': worseCount }),
  };
  const checked = checkThresholds(plan.thresholds, metrics);
  const report = withThresholds({ ...measured, metrics }, checked);
  if (flags.html !== undefined) writeOutput(flags.html, htmlReport(report, comparison));
  const json = `${JSON.stringify(report, undefined, 1)}\n`;
  if (flags.json !== undefined && flags.json !== '-') writeOutput(flags.json, json);
  if (flags.json === '-') printText(json);
  else {
    const compared =
      comparison === undefined ? '' : `${textComparison(comparison, flags.compare ?? '')}\n`;
    printText(`${textReport(report)}${compared}`);
  }
  if (stop.exitCode !== undefined) return stop.exitCode;
  return isWell(report, plan) ? EXIT_OK : EXIT_PROBLEMS;
}

/** Failures count unless a threshold about them decides instead. */
function isWell(report: LoadReport, { thresholds }: LoadtestPlan): boolean {
  if (report.end !== 'complete' || report.thresholds.some(({ crossed }) => crossed)) return false;
  const decided = (pattern: RegExp): boolean => thresholds.some(({ name }) => pattern.test(name));
  const { metrics, warmup_failure_count } = report;
  if (metrics['episodes'] === 0) return false;
  const errorsDecided = decided(/^(errors|lost)/);
  const wrongDecided = decided(/^rewards\./);
  if (!errorsDecided && (metrics['errors'] ?? 0) > 0) return false;
  if (!wrongDecided && (metrics['rewards.wrong'] ?? 0) > 0) return false;
  return errorsDecided || wrongDecided || warmup_failure_count === 0;
}

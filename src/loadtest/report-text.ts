import Table from 'cli-table3';
import picocolors from 'picocolors';
import type { LoadComparison } from './compare.ts';
import { formatFigure, formatMs, significant } from './format.ts';
import { metricInfo, QUANTILES } from './metrics.ts';
import type { LoadReport } from './report.ts';

/** Where CI is set, picocolors colours what goes into files and pipes, too. */
const pc = picocolors.createColors(picocolors.isColorSupported && process.stdout.isTTY === true);

const CALLS = ['reset', 'step.tool', 'step.answer', 'step', 'score', 'close', 'failed', 'episode'];
const PARTS = ['queue', 'query', 'rest'];
const STATISTICS = [...QUANTILES.map(([name]) => name), 'max'];

/** The report for people. */
export function textReport(report: LoadReport): string {
  const parts = [
    headLines(report),
    batchLines(report),
    timesTable(report),
    policyTable(report),
    serverLines(report),
    clientLines(report),
    errorLines(report),
    thresholdLines(report),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => [...lines, ''])
    .join('\n')}`;
}

/** A comparison for people: `before` names the older report. */
export function textComparison({ changes, notes }: LoadComparison, before: string): string {
  const table = newTable(['figure', 'before', 'now', 'ratio', 'noise', ''], 'left');
  for (const { name, unit, before: was, after, ratio, noise, verdict } of changes) {
    table.push([
      name,
      formatFigure(was, unit),
      formatFigure(after, unit),
      ratio === undefined ? '' : ratio.toFixed(2),
      noise === undefined ? '?' : noise === 0 ? '' : `${(noise * 100).toFixed(0)} %`,
      shownVerdict(verdict),
    ]);
  }
  const worse = changes.filter(({ verdict }) => verdict === 'worse').length;
  const better = changes.filter(({ verdict }) => verdict === 'better').length;
  return [
    `Compared with ${before}:`,
    ...notes.map((note) => pc.yellow(`  mind: ${note}`)),
    table.toString(),
    `${worse} worse, ${better} better beyond noise; noise is 5 %, or twice the spread between batches`,
    '',
  ].join('\n');
}

function shownVerdict(verdict: string): string {
  if (verdict === 'worse') return pc.red('WORSE');
  if (verdict === 'better') return pc.green('better');
  return verdict === 'unsure' ? 'too few batches' : '';
}

const ENDS: Readonly<Record<LoadReport['end'], string>> = {
  complete: '',
  interrupted: 'stopped by a signal; this is what was measured before',
  time_limit: 'cut off by --time-limit; this is what was measured before',
  server_gone: 'given up: the server answers nothing but failures',
  client_lost: 'given up: ',
};

function headLines(report: LoadReport): string[] {
  const { metrics, server, end } = report;
  const seconds = report.measured_ms / 1_000;
  const where = server.own ? 'a server of its own' : server.address;
  const lines = [
    `${pc.bold('sqlenv loadtest')} of ${where} (sqlenv ${server.version}, ${server.task_count} tasks), seed ${report.load['seed']}`,
  ];
  if (end !== 'complete') lines.push(pc.red(`${ENDS[end]}${report.end_message}`));
  const perS = (name: string): string => significant(metrics[name] ?? 0);
  lines.push(
    `${metrics['episodes'] ?? 0} episodes and ${metrics['steps'] ?? 0} steps in ${seconds.toFixed(2)} s: ` +
      `${pc.bold(perS('episodes_per_s'))} episodes/s, ${pc.bold(perS('steps_per_s'))} steps/s`,
  );
  const { arrival_rate, arrivals } = report.load;
  if (typeof arrival_rate === 'number') {
    lines.push(
      `open loop: ${arrival_rate} episodes/s were meant to arrive (${arrivals}); times count from then`,
    );
  }
  const { load_average, core_count } = report.machine;
  if (load_average > core_count) {
    lines.push(
      pc.yellow(
        `the machine was at work before: a load of ${significant(load_average)} on ${core_count} cores; the figures are noisy`,
      ),
    );
  }
  if (report.source_problem_count > 0) {
    lines.push(
      pc.yellow(`${report.source_problem_count} lines or files of the trajectories can't be read`),
    );
  }
  const cut = metrics['cut'] ?? 0;
  if (cut > 0) lines.push(`${cut} episodes were under way at the end and count for nothing`);
  return lines;
}

/** Wall times that are listed; of longer runs the figures must do. */
const LISTED_COUNT = 16;

function batchLines({ batches, metrics, load, step_seconds }: LoadReport): string[] {
  const walls = batches.flatMap(({ wall_ms }) => wall_ms ?? []);
  if (walls.length === 0) return [];
  const size = Number(load['prompts']) * Number(load['rollouts']);
  const listed = walls.slice(0, LISTED_COUNT).map((ms) => (ms / 1_000).toFixed(3));
  const more = walls.length > LISTED_COUNT ? ' ...' : '';
  const lines = [
    `${walls.length} batches of ${size} episodes: median ${pc.bold(formatMs(metrics['batch.median'] ?? 0))}, ` +
      `max ${formatMs(metrics['batch.max'] ?? 0)} (seconds: ${listed.join(' ')}${more})`,
  ];
  const share = metrics['training.share'];
  if (share !== undefined) {
    const own = metrics['environment.median'] ?? 0;
    const thinking = own < (metrics['batch.median'] ?? 0) - 1 ? ' on top of think times' : '';
    lines.push(
      `the environment takes ${formatMs(own)}${thinking}: ${significant(share)} % of a training step of ${step_seconds} s`,
    );
  }
  return lines;
}

function timesTable({ metrics }: LoadReport): string[] {
  const table = newTable(['', 'count', ...STATISTICS]);
  const row = (name: string, title: string): void => {
    const count = metrics[`${name}.count`];
    if (count === undefined) return;
    table.push([
      title,
      count,
      ...STATISTICS.map((each) => formatMs(metrics[`${name}.${each}`] ?? 0)),
    ]);
  };
  for (const name of CALLS) row(name, name);
  for (const name of PARTS) row(name, `  of a step: ${name}`);
  if (table.length === 0) return [];
  const lines = [table.toString()];
  const inServer = metrics['server.step.mean'];
  if (inServer !== undefined) {
    lines.push(
      `a step takes ${formatMs(metrics['step.mean'] ?? 0)} in the mean: ${formatMs(inServer)} in the server ` +
        `(${formatMs(metrics['queue.mean'] ?? 0)} in the queue, ${formatMs(metrics['query.mean'] ?? 0)} in the query), ` +
        `${formatMs(metrics['wire.step.mean'] ?? 0)} on the wire and in the client`,
    );
  }
  return lines;
}

function policyTable({ policies, metrics, wrong_rewards }: LoadReport): string[] {
  const table = newTable([
    'policy',
    'episodes',
    'return',
    'wrong',
    'lost',
    'step p50',
    'p99',
    'max',
  ]);
  for (const { policy, episode_count, return_mean, wrong_count, lost_count } of policies) {
    table.push([
      policy,
      episode_count,
      return_mean === null ? '' : return_mean.toFixed(3),
      wrong_count === 0 ? '' : pc.red(String(wrong_count)),
      lost_count === 0 ? '' : pc.red(String(lost_count)),
      ...['p50', 'p99', 'max'].map((each) => {
        const ms = metrics[`policy.${policy}.${each}`];
        return ms === undefined ? '' : formatMs(ms);
      }),
    ]);
  }
  const wrong = metrics['rewards.wrong'] ?? 0;
  const ended = metrics['episodes'] ?? 0;
  const verdict = `${ended - wrong} of ${ended} episodes earned what their script deserves`;
  return [
    ...(policies.length > 0 ? [table.toString()] : []),
    wrong > 0 ? pc.red(verdict) : verdict,
    ...wrong_rewards.map(
      (each) => `  ${each.count} x ${each.policy}, ${each.verdict}; the first: ${each.message}`,
    ),
  ];
}

const SERVER_FIGURES = [
  ['CPU', 'server.cpu'],
  ['CPU per 1,000 steps', 'server.cpu_per_1000_steps'],
  ['memory at most', 'server.memory.max'],
  ['memory growth', 'server.memory.growth'],
  ['event loop busy', 'server.loop.busy'],
  ['event loop late by at most', 'server.loop.lag_max'],
] as const;

function serverLines({ metrics, server_problem }: LoadReport): string[] {
  const figures = SERVER_FIGURES.flatMap(([title, name]) => {
    const value = metrics[name];
    const unit = metricInfo(name)?.unit ?? 'count';
    return value === undefined ? [] : [`${title} ${formatFigure(value, unit)}`];
  });
  if (figures.length > 0) return [`server: ${figures.join(', ')}`];
  return [`server: nothing is known of its CPU and memory: ${server_problem}`];
}

function clientLines({ clients, client_bottlenecks, metrics }: LoadReport): string[] {
  if (clients.length === 0) return [];
  const busy = clients.map(({ busy_share }) => `${(busy_share * 100).toFixed(0)} %`);
  const cpu = metrics['client.cpu_per_1000_steps'];
  const figures = `client: ${clients.length} processes, busy for ${busy.join(', ')} of the time${
    cpu === undefined ? '' : `, CPU per 1,000 steps ${significant(cpu)} s`
  }`;
  if (client_bottlenecks.length === 0) return [`${figures}; it was not the bottleneck`];
  return [
    figures,
    ...client_bottlenecks.map((reason) => pc.yellow(`  THE CLIENT WAS A BOTTLENECK: ${reason}`)),
  ];
}

function errorLines(report: LoadReport): string[] {
  const { errors, metrics, warmup_failure_count } = report;
  const lines: string[] = [];
  if (warmup_failure_count > 0) {
    lines.push(pc.red(`${warmup_failure_count} calls of the warm-up failed or rewards were wrong`));
  }
  if (errors.length === 0) return [...lines, 'no call failed, no episode was lost'];
  const table = newTable(['call', 'reason', 'count', 'the first one said'], 'left');
  for (const { call, reason, count, message } of errors) {
    table.push([call, reason, count, message.replaceAll(/\s+/g, ' ').slice(0, 90)]);
  }
  const head = `${metrics['errors'] ?? 0} calls failed, ${metrics['lost'] ?? 0} episodes were lost`;
  return [...lines, pc.red(head), table.toString()];
}

function thresholdLines({ thresholds }: LoadReport): string[] {
  return thresholds.map(({ text, value, crossed }) => {
    const name = /^[\w.]+/.exec(text)?.[0] ?? '';
    const unit = metricInfo(name)?.unit ?? 'count';
    const shown = value === null ? 'it was not measured' : formatFigure(value, unit);
    // The condition is that of failing.
    return crossed
      ? `${pc.red('FAILED')} ${text}: ${shown}`
      : `${pc.green('passed')} ${text}: ${shown}`;
  });
}

function newTable(head: string[], align: 'left' | 'right' = 'right'): Table.Table {
  return new Table({
    head,
    colAligns: head.map((_, index) => (index === 0 ? 'left' : align)),
    style: { head: pc.isColorSupported ? ['bold'] : [], border: [], compact: true },
  });
}

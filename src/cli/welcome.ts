import pc from 'picocolors';
import type { Config } from '../config.ts';
import { VERSION } from '../package-root.ts';
import type { RunningEnvironment } from './compose.ts';

/** What is running and what to try next, for people. */
export function welcomeText(environment: RunningEnvironment, config: Config): string {
  const { tasks, executor, title, skipped } = environment;
  const address = addressOf(environment);
  const splits = [...tasks.splitTaskCounts]
    .filter(([split]) => split !== '')
    .map(([split, count]) => `${count} ${split}`);
  const record =
    config.record === false ? 'nothing (--no-record)' : `finished episodes in ${config.record}/`;
  const metricsUrl = metricsUrlOf(environment, config);
  const rows = [
    ['tasks', `${tasks.taskCount}${splits.length > 0 ? ` (${splits.join(', ')})` : ''}`],
    ['databases', `${tasks.databaseCount}, read-only and guarded`],
    ['engine', `SQLite ${executor.engine.sqliteVersion}, ${executor.stats().threadCount} threads`],
    ['records', record],
    ...(metricsUrl === undefined ? [] : [['metrics', metricsUrl]]),
    ...(skipped.length > 0
      ? [['skipped', `${skipped.length} broken inputs; the log lists them`]]
      : []),
  ];
  const lines = [
    `${pc.bold('sqlenv')} ${VERSION} serves ${title} on ${pc.bold(address)}`,
    ...rows.map(([name = '', value = '']) => `  ${pc.dim(name.padEnd(10))} ${value}`),
    'Try next:',
    `  grpcurl -plaintext ${address} sqlenv.v1.EnvironmentService/GetInfo`,
    '  npm run demo     a whole training batch with scripted policies',
    '  docs/protocol.md has an episode step by step; Ctrl-C stops the server.',
  ];
  return `${lines.join('\n')}\n`;
}

/** What is running, for programs: one JSON object on one line. */
export function welcomeJson(environment: RunningEnvironment, config: Config): string {
  const { tasks, executor, server, skipped } = environment;
  const facts = {
    version: VERSION,
    host: server.host,
    port: server.port,
    address: addressOf(environment),
    metrics_port: environment.metricsPort ?? null,
    metrics_url: metricsUrlOf(environment, config) ?? null,
    task_count: tasks.taskCount,
    database_count: tasks.databaseCount,
    split_task_counts: Object.fromEntries(tasks.splitTaskCounts),
    catalog_sha256: tasks.catalogSha256,
    sqlite_version: executor.engine.sqliteVersion,
    skipped,
  };
  return `${JSON.stringify(facts)}\n`;
}

function addressOf({ server }: RunningEnvironment): string {
  return joined(server.host, server.port);
}

/** Undefined without metrics. */
function metricsUrlOf(
  { metricsPort }: RunningEnvironment,
  { metricsHost }: Config,
): string | undefined {
  return metricsPort === undefined
    ? undefined
    : `http://${joined(metricsHost, metricsPort)}/metrics`;
}

function joined(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

import { rounded, tallyMetrics, type Metrics } from './metrics.ts';
import type { LoadOutcome } from './outcome.ts';
import { median } from './statistics.ts';

/** All figures of a load that could be measured. `stepSeconds` is how long a training step takes. */
export function reportMetrics(outcome: LoadOutcome, stepSeconds: number): Metrics {
  const { tally, measuredMs } = outcome;
  const seconds = measuredMs / 1_000;
  const metrics: Record<string, number> = tallyMetrics(tally);
  const set = (name: string, value: number | undefined): void => {
    if (value !== undefined && Number.isFinite(value)) metrics[name] = rounded(value);
  };
  if (seconds > 0) {
    set('episodes_per_s', tally.endedCount / seconds);
    set('steps_per_s', tally.stepCount / seconds);
  }
  setBatches(set, outcome, stepSeconds);
  setServer(set, outcome, metrics);
  const { clients } = outcome;
  if (clients.length > 0) {
    set('client.busy.max', 100 * Math.max(...clients.map(({ busyShare }) => busyShare)));
    set('client.loop.p99', Math.max(...clients.map(({ loopP99Ms }) => loopP99Ms)));
    const cpuMs = clients.reduce((sum, client) => sum + client.cpuMs, 0);
    if (tally.stepCount > 0) set('client.cpu_per_1000_steps', cpuMs / tally.stepCount);
  }
  return metrics;
}

type Set = (name: string, value: number | undefined) => void;

function setBatches(set: Set, outcome: LoadOutcome, stepSeconds: number): void {
  const { batches } = outcome;
  set('batch.count', batches.length);
  const walls = batches.flatMap(({ wallMs }) => wallMs ?? []);
  if (walls.length > 0) {
    set('batch.median', median(walls));
    set('batch.min', Math.min(...walls));
    set('batch.max', Math.max(...walls));
  }
  const own = batches.flatMap(({ environmentMs }) => environmentMs ?? []);
  if (own.length === 0) return;
  set('environment.median', median(own));
  set('training.share', (median(own) / (stepSeconds * 1_000)) * 100);
}

function setServer(set: Set, outcome: LoadOutcome, metrics: Metrics): void {
  const { server, tally } = outcome;
  if (server === undefined) return;
  const { cpuS, memoryBytesMax, memoryBytesStart, memoryBytesEnd, loopBusyShare } = server;
  set('server.cpu', cpuS);
  if (cpuS !== undefined && tally.stepCount > 0) {
    set('server.cpu_per_1000_steps', (cpuS * 1_000) / tally.stepCount);
  }
  set('server.memory.max', memoryBytesMax);
  if (memoryBytesStart !== undefined && memoryBytesEnd !== undefined) {
    set('server.memory.growth', memoryBytesEnd - memoryBytesStart);
  }
  if (loopBusyShare !== undefined) set('server.loop.busy', 100 * loopBusyShare);
  set('server.loop.lag_max', server.loopLagMsMax);
  for (const [name, method] of [
    ['reset', 'Reset'],
    ['step', 'Step'],
  ] as const) {
    const inServerMs = server.meanMs[method];
    const seenMs = metrics[`${name}.mean`];
    set(`server.${name}.mean`, inServerMs);
    if (inServerMs !== undefined && seenMs !== undefined) {
      set(`wire.${name}.mean`, Math.max(0, seenMs - inServerMs));
    }
  }
}

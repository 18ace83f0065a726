import type { LoadOutcome } from './outcome.ts';

/** A client process that is busy for longer than this share of its time holds up what it measures. */
const BUSY_SHARE = 0.85;

/** Share of all cores from which client and server wait for each other. */
const MACHINE_SHARE = 0.9;

/** Lateness of a client's timers that is seen in the latencies, milliseconds. */
const LATE_MS = 20;

/** Where the load came from. */
export interface LoadPlace {
  /** Cores of this machine. */
  readonly coreCount: number;
  /** Whether the server is on this machine, too. */
  readonly isLocal: boolean;
}

/** Why the figures are those of the client as well, a sentence each; none if the client kept out of the way. */
export function clientBottlenecks(outcome: LoadOutcome, place: LoadPlace): string[] {
  const reasons: string[] = [];
  for (const [index, { busyShare, loopP99Ms }] of outcome.clients.entries()) {
    if (busyShare >= BUSY_SHARE) {
      reasons.push(
        `client process ${index} was busy for ${percent(busyShare)} of the time: the server could have done more`,
      );
    } else if (loopP99Ms > LATE_MS) {
      reasons.push(
        `client process ${index} was late by ${loopP99Ms.toFixed(0)} ms at p99: latencies hold some of that`,
      );
    }
  }
  const machine = machineShare(outcome, place);
  if (machine !== undefined && machine >= MACHINE_SHARE) {
    reasons.push(
      `client and server together used ${percent(machine)} of the ${place.coreCount} cores of this machine: they waited for each other`,
    );
  }
  return reasons;
}

/** Share of all cores that client and server used while it was measured; undefined if it is not known. */
function machineShare(outcome: LoadOutcome, place: LoadPlace): number | undefined {
  const { clients, server, measuredMs } = outcome;
  if (!place.isLocal || server?.cpuS === undefined || measuredMs === 0) return undefined;
  const clientMs = clients.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return (clientMs + server.cpuS * 1_000) / (measuredMs * place.coreCount);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ClientUsage } from './messages.ts';

/** How often the event loop's delay is looked at, milliseconds. */
const RESOLUTION_MS = 5;

/** Measures how busy this process is. */
export class ClientMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #start = this.#now();

  /** Begins anew. */
  restart(): void {
    this.#delay.reset();
    this.#delay.enable();
    this.#start = this.#now();
  }

  /** What it took since the start. */
  usage(thinkMsMax: number): ClientUsage {
    const { wallMs, loop, cpu } = this.#start;
    const { user, system } = process.cpuUsage(cpu);
    return {
      wallMs: performance.now() - wallMs,
      cpuMs: (user + system) / 1_000,
      busyShare: performance.eventLoopUtilization(loop).utilization,
      loopP99Ms: this.#lateMs(this.#delay.percentile(99)),
      loopMaxMs: this.#lateMs(this.#delay.max),
      thinkMsMax,
    };
  }

  /** The monitor counts its own interval as delay; before its first look it knows nothing. */
  #lateMs(nanoseconds: number): number {
    return this.#delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  }

  #now() {
    return {
      wallMs: performance.now(),
      loop: performance.eventLoopUtilization(),
      cpu: process.cpuUsage(),
    };
  }
}

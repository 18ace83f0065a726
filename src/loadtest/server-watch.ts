import {
  usageBetween,
  type ServerProbe,
  type ServerSample,
  type ServerUsage,
} from './server-probe.ts';

/** How often the server's memory is looked at, milliseconds. */
const WATCH_MS = 1_000;

/** Watches a server through its metrics while a load is measured. */
export class ServerWatch {
  readonly #probe: ServerProbe | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #first: ServerSample | undefined;
  #last: ServerSample | undefined;
  #memoryBytesMax = 0;
  #cpuS = 0;
  #looking = false;

  constructor(probe: ServerProbe | undefined) {
    this.#probe = probe;
    if (probe !== undefined) this.#timer = setInterval(() => void this.#look(), WATCH_MS).unref();
  }

  /** Why there are no figures of the server; undefined if there are. */
  get problem(): string | undefined {
    if (this.#probe === undefined)
      return 'its metrics are not known: name them with --metrics-address';
    return this.usage === undefined
      ? (this.#probe.problem ?? 'too little was measured')
      : undefined;
  }

  /** What the server used while it was measured; CPU is that of the pieces between `begin` and `end`. */
  get usage(): ServerUsage | undefined {
    if (this.#first === undefined || this.#last === undefined) return undefined;
    const usage = usageBetween([this.#first, this.#last]);
    if (usage === undefined) return undefined;
    const cpuS = usage.cpuS === undefined ? undefined : this.#cpuS;
    const memoryBytesMax = Math.max(this.#memoryBytesMax, usage.memoryBytesMax ?? 0);
    return { ...usage, cpuS, memoryBytesMax };
  }

  /** Takes the sample before a piece of the load. */
  async begin(): Promise<ServerSample | undefined> {
    const sample = await this.#probe?.sample();
    if (sample !== undefined) this.#first ??= sample;
    return sample;
  }

  /** Takes the sample after a piece, and gives what the server used in it. */
  async end(before: ServerSample | undefined): Promise<ServerUsage | undefined> {
    const sample = await this.#probe?.sample();
    if (sample === undefined) return undefined;
    this.#last = sample;
    const usage = before && usageBetween([before, sample]);
    this.#cpuS += usage?.cpuS ?? 0;
    return usage;
  }

  /** Stops watching; idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#looking || this.#first === undefined) return;
    this.#looking = true;
    const sample = await this.#probe?.sample();
    this.#looking = false;
    this.#memoryBytesMax = Math.max(this.#memoryBytesMax, sample?.memoryBytes ?? 0);
  }
}

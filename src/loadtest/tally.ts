import { Histogram, type HistogramData } from './histogram.ts';

/**
 * What is timed, milliseconds. `reset`, `step.tool` (a step that the episode goes on after), `step.answer` (the one that ends
 * it), `score`, `close`: calls that were answered, as the client sees them. `failed`: calls that were not. `queue`, `query`,
 * `rest`: the parts of the steps. `episode`: a whole episode without its think times.
 */
export const TIMED = [
  'reset',
  'step.tool',
  'step.answer',
  'score',
  'close',
  'failed',
  'queue',
  'query',
  'rest',
  'episode',
] as const;

/** Name of something that is timed; `policy.NAME` are the steps of one policy. */
export type Timed = (typeof TIMED)[number] | `policy.${string}`;

/** The calls that are counted by name when they fail. */
export type CallName = 'reset' | 'step' | 'score' | 'close';

/** What became of the episodes of a policy. */
export interface PolicyTally {
  /** Played to their end. */
  endedCount: number;
  /** Sum of their returns. */
  returnSum: number;
  /** Ended, with a return that is not the one of its script. */
  wrongCount: number;
  /** Not played to the end, since a call failed. */
  lostCount: number;
}

/** Calls that failed for the same reason, or rewards that were wrong in the same way. */
export interface ErrorTally {
  count: number;
  /** The message of the first. */
  message: string;
}

/** A tally as plain data. */
export interface TallyData {
  /** Episodes that were played to their end. */
  readonly endedCount: number;
  /** Episodes that were cut off by the end of the load: neither ended nor lost. */
  readonly cutCount: number;
  /** Steps that were answered. */
  readonly stepCount: number;
  readonly times: Readonly<Record<string, HistogramData>>;
  /** By `CALL REASON`. */
  readonly errors: Readonly<Record<string, ErrorTally>>;
  /** Wrong rewards by `POLICY VERDICT`. */
  readonly wrongs: Readonly<Record<string, ErrorTally>>;
  readonly policies: Readonly<Record<string, PolicyTally>>;
}

/** Counts and times of a piece of the load. Its size does not grow with the number of episodes. */
export class Tally {
  endedCount = 0;
  cutCount = 0;
  stepCount = 0;
  readonly times = new Map<string, Histogram>();
  readonly errors = new Map<string, ErrorTally>();
  readonly wrongs = new Map<string, ErrorTally>();
  readonly policies = new Map<string, PolicyTally>();

  /** Adds a time, milliseconds. */
  time(name: Timed, ms: number): void {
    this.#histogram(name).record(ms);
  }

  /** Counts a call that failed. */
  error(call: CallName, reason: string, message: string): void {
    addTo(this.errors, `${call} ${reason}`, { count: 1, message });
  }

  /** Counts an episode that did not earn what its script deserves. */
  wrong(policy: string, verdict: string, message: string): void {
    this.policy(policy).wrongCount += 1;
    addTo(this.wrongs, `${policy} ${verdict}`, { count: 1, message });
  }

  /** The counts of a policy. */
  policy(name: string): PolicyTally {
    const known = this.policies.get(name);
    if (known !== undefined) return known;
    const fresh = { endedCount: 0, returnSum: 0, wrongCount: 0, lostCount: 0 };
    this.policies.set(name, fresh);
    return fresh;
  }

  /** Times of several names together. */
  together(names: readonly string[]): Histogram {
    const all = new Histogram();
    for (const name of names) {
      const histogram = this.times.get(name);
      if (histogram !== undefined) all.merge(histogram.data());
    }
    return all;
  }

  /** Episodes that were lost, whatever the reason. */
  get lostCount(): number {
    return [...this.policies.values()].reduce((sum, { lostCount }) => sum + lostCount, 0);
  }

  /** Episodes whose return was not the one of their script. */
  get wrongCount(): number {
    return [...this.policies.values()].reduce((sum, { wrongCount }) => sum + wrongCount, 0);
  }

  /** Calls that failed. */
  get errorCount(): number {
    return [...this.errors.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** True as long as nothing was counted. */
  get isEmpty(): boolean {
    const { endedCount, cutCount, times, errors, policies } = this;
    return endedCount + cutCount + times.size + errors.size + policies.size === 0;
  }

  /** Adds all of another tally. */
  merge(other: TallyData): void {
    this.endedCount += other.endedCount;
    this.cutCount += other.cutCount;
    this.stepCount += other.stepCount;
    for (const [name, data] of Object.entries(other.times)) this.#histogram(name).merge(data);
    for (const [key, error] of Object.entries(other.errors)) addTo(this.errors, key, error);
    for (const [key, wrong] of Object.entries(other.wrongs)) addTo(this.wrongs, key, wrong);
    for (const [name, counts] of Object.entries(other.policies)) {
      const mine = this.policy(name);
      mine.endedCount += counts.endedCount;
      mine.returnSum += counts.returnSum;
      mine.wrongCount += counts.wrongCount;
      mine.lostCount += counts.lostCount;
    }
  }

  /** What is in it, as data that can be sent. */
  data(): TallyData {
    const times = [...this.times].map(([name, histogram]) => [name, histogram.data()] as const);
    return {
      endedCount: this.endedCount,
      cutCount: this.cutCount,
      stepCount: this.stepCount,
      times: Object.fromEntries(times),
      errors: Object.fromEntries(this.errors),
      wrongs: Object.fromEntries(this.wrongs),
      policies: Object.fromEntries(this.policies),
    };
  }

  #histogram(name: string): Histogram {
    const known = this.times.get(name);
    if (known !== undefined) return known;
    const fresh = new Histogram();
    this.times.set(name, fresh);
    return fresh;
  }
}

function addTo(map: Map<string, ErrorTally>, key: string, { count, message }: ErrorTally): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, { count, message });
  else known.count += count;
}

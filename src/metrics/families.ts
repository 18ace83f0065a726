import type { Metric, Registry } from 'prom-client';

/** Labels of one line, by name. */
type Labels = Readonly<Record<string, string | number>>;

/** One line of a scrape. */
export interface Line {
  readonly labels: Labels;
  readonly value: number;
  /** Of the line, where it is not the family's: a histogram has three kinds. */
  readonly metricName?: string;
}

/** What all families say of themselves; `docs/metrics.md` has a row for each. */
export interface Family {
  /** With its unit, as Prometheus names things. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  /** The lines as they are now. */
  lines(): readonly Line[] | Promise<readonly Line[]>;
}

/** A number that only grows. Whoever counts adds to `value` and does nothing else. */
export interface Cell {
  readonly labels: Labels;
  value: number;
  /** Whether it is shown while it is 0: a rate needs the 0 to see the first event. */
  readonly always: boolean;
}

/**
 * Counters of one name. prom-client looks up a counter's labels at every increment; here they are looked up once, by
 * whoever keeps the cell, and counting is an addition.
 */
export class CounterFamily implements Family {
  readonly name: string;
  readonly help: string;
  readonly type = 'counter';
  readonly labelNames: readonly string[];
  readonly #cells: Cell[] = [];

  constructor(name: string, help: string, labelNames: readonly string[] = []) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** A new counter. `values` are those of the labels, in their order. */
  cell(values: readonly string[] = [], always = false): Cell {
    const cell = { labels: labelsOf(this.labelNames, values), value: 0, always };
    this.#cells.push(cell);
    return cell;
  }

  lines(): readonly Line[] {
    return this.#cells.filter(({ value, always }) => always || value > 0);
  }
}

/** Counts values by size. */
export class HistogramCell {
  readonly labels: Labels;
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    // One more for what is over the last bound.
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Counts a value, in the unit of the bounds. */
  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#sum += value;
  }

  /** Its lines: cumulative buckets, sum and count. */
  lines(name: string): Line[] {
    let count = 0;
    const lines: Line[] = Array.from(this.#counts, (each, index) => {
      count += each;
      const le = this.#bounds[index] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...this.labels, le }, value: count };
    });
    lines.push({ metricName: `${name}_sum`, labels: this.labels, value: this.#sum });
    lines.push({ metricName: `${name}_count`, labels: this.labels, value: count });
    return lines;
  }
}

/** Histograms of one name. */
export class HistogramFamily implements Family {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #cells: HistogramCell[] = [];

  constructor(
    name: string,
    help: string,
    bounds: readonly number[],
    labelNames: readonly string[] = [],
  ) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.#bounds = bounds;
  }

  /** A new histogram. `values` are those of the labels, in their order. */
  cell(values: readonly string[] = []): HistogramCell {
    const cell = new HistogramCell(labelsOf(this.labelNames, values), this.#bounds);
    this.#cells.push(cell);
    return cell;
  }

  lines(): readonly Line[] {
    return this.#cells.flatMap((cell) => cell.lines(this.name));
  }
}

/** What a reader may give: one number for a family without labels, undefined where there is nothing to say. */
export type Reading = number | undefined | readonly (readonly [readonly string[], number])[];

/** Numbers that others keep; they are read when somebody scrapes. */
export class ReadFamily implements Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labelNames: readonly string[];
  readonly #read: () => Reading | Promise<Reading>;

  constructor(
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    read: () => Reading | Promise<Reading>,
    labelNames: readonly string[] = [],
  ) {
    this.type = type;
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.#read = read;
  }

  async lines(): Promise<readonly Line[]> {
    const reading = await this.#read();
    if (reading === undefined) return [];
    if (typeof reading === 'number') return [{ labels: {}, value: reading }];
    return reading.map(([values, value]) => ({ labels: labelsOf(this.labelNames, values), value }));
  }
}

/** Puts families into a registry, which writes them in the text format of Prometheus. */
export function register(registry: Registry, families: readonly Family[]): void {
  for (const family of families) {
    const { name, help, type } = family;
    const get = async () => ({ name, help, type, values: await family.lines() });
    // All that the registry uses of a metric is its name and this.
    registry.registerMetric({ name, get } as unknown as Metric);
  }
}

function labelsOf(names: readonly string[], values: readonly string[]): Labels {
  if (names.length !== values.length) {
    throw new Error(`labels ${names.join(', ')} were given ${values.length} values`);
  }
  return Object.fromEntries(names.map((name, index) => [name, values[index] as string]));
}

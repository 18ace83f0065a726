/** One line of a scrape. */
export interface MetricLine {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format of Prometheus. Comments, and lines that are none of it, are left out. */
export function parseMetrics(text: string): MetricLine[] {
  const lines: MetricLine[] = [];
  for (const line of text.split('\n')) {
    const [, name, labels = '', number = ''] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const value = numberOf(number);
    if (value !== undefined) lines.push({ name, labels: labelsOf(labels), value });
  }
  return lines;
}

/** The sum over the lines of a name, those with other labels than these left out; undefined if there are none. */
export function sumOf(
  lines: readonly MetricLine[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  const found = lines.filter(
    (line) => line.name === name && wanted.every(([key, value]) => line.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

function numberOf(text: string): number | undefined {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(LABEL)) {
    labels[name] = value.replace(/\\(.)/g, (_, character: string) =>
      character === 'n' ? '\n' : character,
    );
  }
  return labels;
}

/** A scale from values to places. */
export interface Scale {
  /** Where a value lies, 0 to 1. */
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

/** One line or set of bars. */
export interface Series {
  readonly name: string;
  /** 1 to 6: a colour of the page. */
  readonly colour: number;
  readonly kind: 'line' | 'steps' | 'bars';
  readonly points: readonly (readonly [x: number, y: number])[];
  /** What a pointer over a point shows; without it there is nothing to point at. */
  readonly titles?: readonly string[];
  /** Bars: their width on the x axis, in its values. */
  readonly barSize?: number;
}

/** A plot with its axes. */
export interface Plot {
  /** What a reader without eyes is told. */
  readonly label: string;
  readonly x: Scale;
  readonly y: Scale;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly series: readonly Series[];
  /** A horizontal line with a text. */
  readonly line?: { readonly y: number; readonly text: string };
  readonly height?: number;
}

const WIDTH = 860;
const HEIGHT = 300;
const MARGIN = { left: 74, right: 16, top: 14, bottom: 44 };

/** Points that a pointer can find; more of them would be on top of each other. */
const TITLED_COUNT = 400;

/** A plot as an SVG element that takes its colours from the page. */
export function svgPlot(plot: Plot): string {
  const height = plot.height ?? HEIGHT;
  const frame = frameOf(height);
  const parts = [
    ...plot.y.ticks.map(({ value, label }) => {
      const y = frame.y(plot.y.place(value));
      return `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y}" y2="${y}"/><text class="tick" x="${MARGIN.left - 8}" y="${y}" text-anchor="end" dy=".32em">${escapeXml(label)}</text>`;
    }),
    ...plot.x.ticks.map(({ value, label }) => {
      const x = frame.x(plot.x.place(value));
      return `<line class="grid" x1="${x}" x2="${x}" y1="${MARGIN.top}" y2="${height - MARGIN.bottom}"/><text class="tick" x="${x}" y="${height - MARGIN.bottom + 16}" text-anchor="middle">${escapeXml(label)}</text>`;
    }),
    `<text class="axis" x="${(WIDTH + MARGIN.left) / 2}" y="${height - 6}" text-anchor="middle">${escapeXml(plot.xTitle)}</text>`,
    `<text class="axis" transform="translate(14 ${(height - MARGIN.bottom + MARGIN.top) / 2}) rotate(-90)" text-anchor="middle">${escapeXml(plot.yTitle)}</text>`,
    ...plot.series.map((series) => drawn(series, plot, frame)),
    plot.line === undefined ? '' : markLine(plot.line, plot, frame),
  ];
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(plot.label)}">${parts.join('')}</svg>`;
}

/** Round steps from 0 to the value at least. */
export function linearScale(max: number, label: (value: number) => string): Scale {
  const top = max > 0 ? max : 1;
  const rough = top / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const count = Math.ceil(top / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return {
    place: (value) => value / (count * step),
    ticks: ticks.map((value) => ({ value, label: label(value) })),
  };
}

/** Powers of ten, with 2 and 5 between where there is room. */
export function logScale(min: number, max: number, label: (value: number) => string): Scale {
  const low = Math.log10(min);
  const high = Math.max(Math.log10(max), low + 0.1);
  const factors = high - low > 3 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= Math.ceil(high); power += 1) {
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (value >= min * 0.999 && value <= max * 1.001) ticks.push(value);
    }
  }
  return {
    place: (value) => (Math.log10(Math.max(value, min)) - low) / (high - low),
    ticks: ticks.map((value) => ({ value, label: label(value) })),
  };
}

/** Text for markup. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

interface Frame {
  readonly x: (place: number) => string;
  readonly y: (place: number) => string;
}

function frameOf(height: number): Frame {
  const inner = {
    width: WIDTH - MARGIN.left - MARGIN.right,
    height: height - MARGIN.top - MARGIN.bottom,
  };
  return {
    x: (place) => (MARGIN.left + clamped(place) * inner.width).toFixed(1),
    y: (place) => (MARGIN.top + (1 - clamped(place)) * inner.height).toFixed(1),
  };
}

function clamped(place: number): number {
  return Math.min(1, Math.max(0, place));
}

function drawn(series: Series, plot: Plot, frame: Frame): string {
  if (series.points.length === 0) return '';
  if (series.kind === 'bars') return bars(series, plot, frame);
  const places = series.points.map(
    ([x, y]) => [frame.x(plot.x.place(x)), frame.y(plot.y.place(y))] as const,
  );
  const path = places
    .map(([x, y], index) => {
      if (index === 0) return `M${x} ${y}`;
      return series.kind === 'steps' ? `H${x}V${y}` : `L${x} ${y}`;
    })
    .join('');
  const every = Math.ceil(places.length / TITLED_COUNT);
  const dots = places.flatMap(([x, y], index) => {
    const title = series.titles?.[index];
    if (title === undefined || index % every !== 0) return [];
    // Large enough to be hit; seen only where points are few.
    const shown =
      places.length <= 40
        ? `<circle class="fill${series.colour}" cx="${x}" cy="${y}" r="2.5"/>`
        : '';
    return [
      `<g>${shown}<circle class="hit" cx="${x}" cy="${y}" r="7"/><title>${escapeXml(title)}</title></g>`,
    ];
  });
  return `<path class="stroke${series.colour}" d="${path}"/>${dots.join('')}`;
}

function bars(series: Series, plot: Plot, frame: Frame): string {
  const size = series.barSize ?? 1;
  const bottom = Number(frame.y(0));
  return series.points
    .map(([x, y], index) => {
      if (y <= 0) return '';
      const left = Number(frame.x(plot.x.place(x)));
      const width = Math.max(1, Number(frame.x(plot.x.place(x + size))) - left - 1);
      const top = Number(frame.y(plot.y.place(y)));
      const title = series.titles?.[index];
      const shown = title === undefined ? '' : `<title>${escapeXml(title)}</title>`;
      return `<rect class="fill${series.colour}" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${Math.max(0.5, bottom - top).toFixed(1)}">${shown}</rect>`;
    })
    .join('');
}

function markLine(line: { readonly y: number; readonly text: string }, plot: Plot, frame: Frame) {
  const y = frame.y(plot.y.place(line.y));
  return `<line class="mark" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y}" y2="${y}"/><text class="axis" x="${WIDTH - MARGIN.right - 4}" y="${Number(y) - 5}" text-anchor="end">${escapeXml(line.text)}</text>`;
}

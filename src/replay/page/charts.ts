import { h, svg, type Child } from './dom.ts';

/** A bar with its words and figures. */
export interface Bar {
  readonly name: string;
  /** Length of the bar, between 0 and 1. */
  readonly share: number;
  /** What the bar says, as text. */
  readonly text: string;
  /** A second figure, for example of how many. */
  readonly note: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'none' | 'plain';
  /** Where a click leads. */
  readonly href: string;
}

/** A framed chart with its title. */
export function chart(title: string, note: string, ...parts: readonly Child[]): HTMLElement {
  return h('figure', { class: 'chart' }, [
    h('figcaption', {}, h('h3', {}, title), h('p', { class: 'muted' }, note)),
    parts,
  ]);
}

/** Bars as a table: whoever can't see the bars reads the figures beside them. */
export function barTable(
  caption: string,
  heads: readonly [string, string, string],
  bars: readonly Bar[],
): HTMLElement {
  if (bars.length === 0) return h('p', { class: 'muted' }, 'Nothing to show.');
  return h('div', { class: 'bars-scroll', tabindex: bars.length > 10 ? 0 : undefined }, [
    h('table', { class: 'bars' }, [
      h('caption', { class: 'unseen' }, caption),
      h('thead', { class: 'unseen' }, [
        h('tr', {}, [
          h('th', { scope: 'col' }, heads[0]),
          h('td', {}),
          h('th', { scope: 'col' }, heads[1]),
          h('th', { scope: 'col' }, heads[2]),
        ]),
      ]),
      h('tbody', {}, bars.map(barRow)),
    ]),
  ]);
}

function barRow({ name, share, text, note, tone, href }: Bar): HTMLElement {
  return h('tr', {}, [
    h('th', { scope: 'row' }, h('a', { href, title: name }, name)),
    h('td', { class: 'bar' }, barShape(share, tone)),
    h('td', { class: 'number' }, text),
    h('td', { class: 'number muted' }, note),
  ]);
}

function barShape(share: number, tone: Bar['tone']): SVGElement {
  const width = Math.max(0, Math.min(100, share * 100));
  return svg('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, [
    svg('rect', { class: 'bar-track', width: 100, height: 10 }),
    svg('rect', { class: `bar-${tone}`, width, height: 10 }),
  ]);
}

/** Columns over whole numbers. */
export function columnChart(
  title: string,
  columns: readonly { readonly label: string; readonly count: number; readonly href: string }[],
): HTMLElement {
  const most = Math.max(1, ...columns.map(({ count }) => count));
  const [width, height] = [columns.length * 10, 60];
  const shape = svg(
    'svg',
    {
      class: 'columns',
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': title,
    },
    svg('title', {}, title),
    columns.map(({ label, count, href }, place) => {
      const tall = count === 0 ? 0 : Math.max(1, (count / most) * height);
      const box = { x: place * 10 + 1.2, y: height - tall, width: 7.6, height: tall };
      return svg('a', { href, tabindex: -1 }, [
        svg('rect', { class: 'bar-plain', ...box }, svg('title', {}, `${label}: ${count}`)),
      ]);
    }),
  );
  // Twelve labels fit on a phone; the rest are left out, evenly.
  const every = Math.ceil(columns.length / 12);
  const labels = columns.map(({ label }, place) => h('span', {}, place % every === 0 ? label : ''));
  return h('div', { class: 'column-chart' }, [
    h('div', { class: 'chart-area' }, shape),
    h('div', { class: 'column-labels', 'aria-hidden': 'true' }, labels),
  ]);
}

/** A point of a line: its value, and what it stands for. */
export interface Point {
  /** Between 0 and 1. */
  readonly value: number;
  readonly label: string;
}

/** A line over evenly spaced points, from 0 at the bottom to 1 at the top. */
export function lineChart(title: string, points: readonly Point[]): HTMLElement {
  const [width, height] = [100, 40];
  const step = points.length > 1 ? width / (points.length - 1) : 0;
  const place = ({ value }: Point, index: number): string =>
    `${(index * step).toFixed(2)},${(height - value * height).toFixed(2)}`;
  const line = points.map(place).join(' ');
  return h('div', { class: 'line-chart' }, [
    h(
      'div',
      { class: 'line-scale', 'aria-hidden': 'true' },
      ['1', '0.5', '0'].map((text) => h('span', {}, text)),
    ),
    h('div', { class: 'chart-area' }, [
      svg(
        'svg',
        {
          viewBox: `0 0 ${width} ${height}`,
          preserveAspectRatio: 'none',
          role: 'img',
          'aria-label': title,
        },
        svg('title', {}, title),
        [0, 0.5, 1].map((value) =>
          svg('line', {
            class: 'grid-line',
            x1: 0,
            x2: width,
            y1: value * height,
            y2: value * height,
          }),
        ),
        svg('polygon', { class: 'line-fill', points: `0,${height} ${line} ${width},${height}` }),
        svg('polyline', { class: 'line', points: line }),
      ),
    ]),
  ]);
}

/** A table of figures that can be unfolded under a chart. */
export function figuresTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): HTMLElement {
  return h('details', { class: 'figures' }, [
    h('summary', {}, 'As a table'),
    h('div', { class: 'scroll' }, [
      h('table', { class: 'data' }, [
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            heads.map((head) => h('th', { scope: 'col' }, head)),
          ),
        ),
        h(
          'tbody',
          {},
          rows.map(([first = '', ...rest]) =>
            h('tr', {}, [
              h('th', { scope: 'row' }, first),
              rest.map((cell) => h('td', { class: 'number' }, cell)),
            ]),
          ),
        ),
      ]),
    ]),
  ]);
}

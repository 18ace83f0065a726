import type { EpisodeSummary } from '../replay/ports.ts';
import { durationText } from '../replay/terminal/text/format.ts';
import { glyphsOf, isPlain, textWidth } from '../replay/terminal/text/visible.ts';

/** One column of the table. */
interface Column {
  readonly title: string;
  readonly cell: (episode: EpisodeSummary) => string;
  readonly right?: boolean;
  /** It is cut where the table is too wide. */
  readonly cuttable?: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: '#', cell: ({ index }) => String(index), right: true },
  { title: 'episode', cell: ({ episodeId }) => episodeId, cuttable: true },
  { title: 'task', cell: ({ taskId }) => taskId, cuttable: true },
  { title: 'database', cell: ({ databaseId }) => databaseId, cuttable: true },
  {
    title: 'verdict',
    cell: ({ verdict, end }) => (verdict === '' ? `(${end})` : verdict),
    cuttable: true,
  },
  { title: 'reward', cell: ({ reward }) => String(reward ?? ''), right: true },
  { title: 'steps', cell: ({ stepCount }) => String(stepCount), right: true },
  {
    title: 'flags',
    cell: ({ flags, parentId }) =>
      [...(parentId === undefined ? [] : ['fork']), ...flags].join(','),
    cuttable: true,
  },
  { title: 'took', cell: ({ durationMs }) => durationText(durationMs), right: true },
];

const GAP = '  ';
/** A column is not cut below this, even if the table is too wide then. */
const WIDTH_MIN = 8;

/**
 * The lines of a table of episodes, its title first, made one by one: a hundred thousand are no more than one at a time.
 * `width` is how many columns the terminal has; undefined cuts nothing.
 */
export function* episodeTable(
  episodes: readonly EpisodeSummary[],
  width: number | undefined,
): Generator<string> {
  const widths = fitted(naturalWidths(episodes), width ?? Infinity);
  yield lineOf(
    COLUMNS.map(({ title }) => title),
    widths,
  );
  for (const episode of episodes)
    yield lineOf(
      COLUMNS.map(({ cell }) => cell(episode)),
      widths,
    );
}

function naturalWidths(episodes: readonly EpisodeSummary[]): number[] {
  return COLUMNS.map(({ title, cell }) => {
    let widest = title.length;
    for (const episode of episodes) widest = Math.max(widest, textWidth(cell(episode)));
    return widest;
  });
}

/** Takes from the widest column that can be cut until all fit. */
function fitted(widths: readonly number[], width: number): number[] {
  const fit = [...widths];
  let total = fit.reduce((sum, one) => sum + one, 0) + GAP.length * (fit.length - 1);
  while (total > width) {
    let widest = -1;
    for (const [index, { cuttable }] of COLUMNS.entries()) {
      if (cuttable === true && (fit[index] ?? 0) > (fit[widest] ?? WIDTH_MIN)) widest = index;
    }
    const found = fit[widest];
    if (found === undefined) break;
    fit[widest] = found - 1;
    total -= 1;
  }
  return fit;
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    const { text, rest } = cut(cell, width);
    const blanks = ' '.repeat(rest);
    return COLUMNS[index]?.right === true ? blanks + text : text + blanks;
  });
  return padded.join(GAP).trimEnd();
}

/** A text as it can be shown, in so many columns at most, and how many of them are left. */
function cut(text: string, width: number): { text: string; rest: number } {
  if (isPlain(text)) {
    if (text.length <= width) return { text, rest: width - text.length };
    return { text: `${text.slice(0, width - 1)}…`, rest: 0 };
  }
  const isWhole = textWidth(text) <= width;
  let shown = '';
  let rest = isWhole ? width : width - 1;
  for (const glyph of glyphsOf(text)) {
    // A newline or a tab, which would break the row.
    const isSpace = glyph.width === 0;
    const columns = isSpace ? 1 : glyph.width;
    if (columns > rest) break;
    shown += isSpace ? ' ' : glyph.text;
    rest -= columns;
  }
  return { text: isWhole ? shown : `${shown}…`, rest };
}

/** Largest relative difference that another order or precision of summing floats explains. */
const FLOAT_TOLERANCE = 1e-12;

const FLOAT = /-?\d+\.\d+(?:e[+-]\d+)?/g;

/**
 * How two observations differ: not at all; in the last bits of floats; in the order of rows whose floats differ in their last
 * bits alone, so that one side sees a tie where the other does not; or otherwise.
 */
export function compareTexts(ours: string, theirs: string): 'same' | 'float' | 'tie' | 'different' {
  if (ours === theirs) return 'same';
  const [ourCells, theirCells] = [readFloats(ours), readFloats(theirs)];
  const sameFloats =
    ourCells.length === theirCells.length &&
    ourCells.every((each, index) => isClose(each, theirCells[index] ?? Number.NaN));
  if (!sameFloats) return 'different';
  if (ours.replaceAll(FLOAT, '#') === theirs.replaceAll(FLOAT, '#')) return 'float';
  return sortedRows(ours) === sortedRows(theirs) ? 'tie' : 'different';
}

function readFloats(text: string): number[] {
  return [...text.matchAll(FLOAT)].map((match) => Number(match[0]));
}

function isClose(ours: number, theirs: number): boolean {
  return Math.abs(ours - theirs) <= FLOAT_TOLERANCE * Math.max(Math.abs(ours), Math.abs(theirs));
}

/** All rows in one order, floats rounded to what both versions agree on. */
function sortedRows(text: string): string {
  const rounded = text.replaceAll(FLOAT, (digits) => Number(digits).toPrecision(12));
  const { columns, rows } = JSON.parse(rounded) as { columns: string[]; rows: unknown[][] };
  return JSON.stringify([columns, rows.map((row) => JSON.stringify(row)).toSorted()]);
}

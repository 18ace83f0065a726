import type { NumberRows } from './interned-results.ts';

/**
 * How many cells the search may look at, some two seconds' worth. Results that need more have columns which hardly
 * anything tells apart, and no permutation for most of the choices between them; they count as different. 26 columns
 * of zeros and ones need some ten thousand.
 */
export const CELL_VISIT_COUNT_MAX = 200_000_000;

/** Tells whether some order of the answer's columns makes the two results equal row by row. */
export function columnsMatchInOrder(gold: NumberRows, answer: NumberRows): boolean {
  const keys = (rows: NumberRows): string => JSON.stringify(columnKeys(rows).sort());
  return keys(gold) === keys(answer);
}

/**
 * Tells whether some order of the answer's columns makes the two results equal as multisets of rows. The official
 * script tries permutations; here columns and rows get colours that say in what surroundings they occur, refined in
 * turns, so that a column has few partners left to try. The verdict is the same: at the end rows are compared.
 */
export function columnsMatchInAnyOrder(gold: NumberRows, answer: NumberRows): boolean {
  const goldSide = newSide(gold);
  const answerSide = newSide(answer);
  if (goldSide.rows.length !== answerSide.rows.length) return false;
  const search: Search = {
    gold: goldSide,
    answer: answerSide,
    cellVisitsLeft: CELL_VISIT_COUNT_MAX,
  };
  return find(search, noColours(goldSide), noColours(answerSide));
}

/** One of the two results, each distinct row once. */
interface Side {
  readonly rows: NumberRows;
  /** How often each of the rows occurs. */
  readonly counts: readonly number[];
  /** Columns with the same key are equal in each row. */
  readonly columnKeys: readonly string[];
}

interface Search {
  readonly gold: Side;
  readonly answer: Side;
  cellVisitsLeft: number;
}

/** By column. A colour is a hash: equal columns have equal colours, and others usually don't. */
type Colours = readonly number[];

function newSide(rows: NumberRows): Side {
  const byKey = new Map<string, { row: readonly number[]; count: number }>();
  for (const row of rows) {
    const key = row.join();
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { row, count: 1 });
    else known.count += 1;
  }
  const distinct = [...byKey.values()];
  const distinctRows = distinct.map(({ row }) => row);
  return {
    rows: distinctRows,
    counts: distinct.map(({ count }) => count),
    columnKeys: columnKeys(distinctRows),
  };
}

function columnKeys(rows: NumberRows): string[] {
  const [first = []] = rows;
  return first.map((_cell, column) => rows.map((row) => row[column]).join());
}

function noColours(side: Side): Colours {
  return side.columnKeys.map(() => 0);
}

function find(search: Search, goldStart: Colours, answerStart: Colours): boolean {
  const refined = refineTogether(search, goldStart, answerStart);
  if (refined === undefined) return false;
  const [gold, answer] = refined;
  const column = undecidedColumn(search, gold, answer);
  if (column === undefined) return rowsMatch(search, gold, answer);
  const colour = gold[column];
  const triedKeys = new Set<string>();
  for (const [candidate, candidateColour] of answer.entries()) {
    const key = search.answer.columnKeys[candidate] ?? '';
    if (candidateColour !== colour || triedKeys.has(key)) continue;
    triedKeys.add(key);
    if (find(search, singledOut(gold, column), singledOut(answer, candidate))) return true;
  }
  return false;
}

/** Gives one column a colour of its own, the same in both results. */
function singledOut(colours: Colours, column: number): Colours {
  return colours.map((colour, index) => (index === column ? mix(colour ^ 0x5bd1e995) : colour));
}

/** Refines the colours as long as that tells more columns apart; undefined when the two results can't match. */
function refineTogether(
  search: Search,
  goldStart: Colours,
  answerStart: Colours,
): [Colours, Colours] | undefined {
  let gold = goldStart;
  let answer = answerStart;
  let colourCount = new Set(gold).size;
  for (;;) {
    search.cellVisitsLeft -= 4 * gold.length * search.gold.rows.length;
    if (search.cellVisitsLeft < 0) return undefined;
    gold = refine(search.gold, gold);
    answer = refine(search.answer, answer);
    if (sortedText(gold) !== sortedText(answer)) return undefined;
    const refinedCount = new Set(gold).size;
    if (refinedCount === colourCount) return [gold, answer];
    colourCount = refinedCount;
  }
}

/** Colours rows by their cells and those cells' columns, then columns by their cells and those cells' rows. */
function refine(side: Side, colours: Colours): Colours {
  const sums = colours.map(() => 0);
  for (const [index, row] of side.rows.entries()) {
    let rowSum = side.counts[index] ?? 0;
    for (const [column, cell] of row.entries()) {
      rowSum = (rowSum + hash(cell, colours[column] ?? 0)) | 0;
    }
    const rowColour = mix(rowSum);
    for (const [column, cell] of row.entries()) {
      sums[column] = ((sums[column] ?? 0) + hash(cell, rowColour)) | 0;
    }
  }
  return sums.map((sum, column) => hash(sum, colours[column] ?? 0));
}

/** A gold column that has several different partners left; columns that are the same anyway need no decision. */
function undecidedColumn(search: Search, gold: Colours, answer: Colours): number | undefined {
  const keysByColour = new Map<number, Set<string>>();
  const sides: [Colours, Side][] = [
    [gold, search.gold],
    [answer, search.answer],
  ];
  const undecided = new Set<number>();
  for (const [colours, side] of sides) {
    keysByColour.clear();
    for (const [column, colour] of colours.entries()) {
      const keys = keysByColour.get(colour) ?? new Set();
      keysByColour.set(colour, keys.add(side.columnKeys[column] ?? ''));
      if (keys.size > 1) undecided.add(colour);
    }
  }
  const column = gold.findIndex((colour) => undecided.has(colour));
  return column < 0 ? undefined : column;
}

/** Pairs columns of equal colours and compares the rows: the colours are hashes, and only this is proof. */
function rowsMatch(search: Search, gold: Colours, answer: Colours): boolean {
  const goldOrder = orderOf(gold);
  const answerOrder = orderOf(answer);
  const counts = new Map<string, number>();
  for (const [index, row] of search.gold.rows.entries()) {
    counts.set(goldOrder.map((column) => row[column]).join(), search.gold.counts[index] ?? 0);
  }
  return search.answer.rows.every((row, index) => {
    const key = answerOrder.map((column) => row[column]).join();
    return counts.get(key) === search.answer.counts[index];
  });
}

function orderOf(colours: Colours): number[] {
  return [...colours.keys()].sort((a, b) => (colours[a] ?? 0) - (colours[b] ?? 0));
}

function sortedText(colours: Colours): string {
  return colours.toSorted((a, b) => a - b).join();
}

function hash(value: number, colour: number): number {
  return mix(Math.imul(value + 1, 0x9e3779b1) ^ colour);
}

/** Spreads the bits of a 32-bit number (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

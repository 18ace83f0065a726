import type { Grade } from '../../env/grade.ts';
import { hasTopLevelOrderBy } from '../../env/sql-text.ts';
import { keysOf, type RowsDiff } from './diff-rows.ts';
import { findColumns, findLikeness, sameSet, unlikeColumns } from './result-relations.ts';
import type { ResultTable } from './result-text.ts';

/** All that is known of an answer and its gold. */
export interface ExplainInput {
  /** Under the mode that decides. */
  readonly grade: Grade;
  /** What the other modes say. */
  readonly others: readonly Grade[];
  readonly gold: ResultTable;
  /** Undefined if the answer failed. */
  readonly answer: ResultTable | undefined;
  readonly answerSql: string;
  readonly diff: RowsDiff;
  readonly orderMatters: boolean;
  /** A cap cut one of the results. */
  readonly capped: boolean;
  /** What may have been meant by a name that isn't there; empty if nothing is known. */
  readonly hint: string;
}

/** Says in a few sentences why an answer got its verdict, and what would have to be otherwise. */
export function explainAnswer(input: ExplainInput): string {
  const { grade } = input;
  const sentences = [
    ...verdictSentences(input),
    otherModes(input),
    ...flagSentences(grade),
    input.capped ? 'Only the first rows are compared here: a result is too large to show.' : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function verdictSentences(input: ExplainInput): string[] {
  const { grade, answer } = input;
  switch (grade.verdict) {
    case 'match':
      return [matchSentence(input)];
    case 'mismatch':
      return answer === undefined
        ? ['The rows of the answer differ from those of the gold.']
        : mismatchSentences(input, answer);
    case 'answer_missing':
      return ['There is no answer: the model gave no SQL where one is looked for.'];
    case 'answer_sql_error':
      return [`The answer failed: ${grade.errorText}.${input.hint}`];
    case 'answer_forbidden':
      return [`The answer was refused: ${grade.errorText}.`];
    case 'answer_time_limit':
      return [`The answer was stopped: ${grade.errorText}.`];
    case 'answer_too_big':
      return [`The answer was stopped: ${grade.errorText}.`];
  }
}

function matchSentence({ gold, diff, orderMatters, grade }: ExplainInput): string {
  const types = diff.counts.types;
  const note =
    types === 0 ? '' : ` ${plural(types, 'row is', 'rows are')} written otherwise, as 2 and 2.0.`;
  if (gold.rows.length === 0) return 'A match: neither has any rows.';
  if (gold.rows.length === 1) return `A match: the same row.${note}`;
  const manner =
    grade.comparisonMode === 'set@1'
      ? 'as sets'
      : orderMatters
        ? "in the gold's order"
        : 'in whatever order';
  return `A match: the same ${plural(gold.rows.length, 'row', 'rows')}, ${manner}.${note}`;
}

function mismatchSentences(input: ExplainInput, answer: ResultTable): string[] {
  const { gold, diff } = input;
  if (gold.columns.length !== answer.columns.length && answer.rows.length + gold.rows.length > 0) {
    return columnCountSentences(gold, answer);
  }
  const { missing, extra, order } = diff.counts;
  if (missing + extra > 0) {
    const cause = causeOf(input, answer);
    return [rowsSentence(gold, answer, diff), ...(cause === '' ? [] : [cause])];
  }
  if (order > 0) return orderSentences(input);
  return [
    'The rows look alike and are not equal: a BLOB stands beside the text of its digits, or a cell was cut.',
  ];
}

function columnCountSentences(gold: ResultTable, answer: ResultTable): string[] {
  const [goldWidth, answerWidth] = [gold.columns.length, answer.columns.length];
  const first = `The answer has ${plural(answerWidth, 'column', 'columns')} and the gold ${goldWidth}; columns count by position.`;
  if (answerWidth > goldWidth) {
    const found = findColumns(gold, answer);
    if (found === undefined) return [first];
    const extra = answer.columns.flatMap((name, index) =>
      found.includes(index) ? [] : [columnName(name, index)],
    );
    return [
      first,
      `Its ${positions(found)} ${found.length === 1 ? 'holds' : 'hold'} what the gold asks for: ${extra.join(', ')} is too much.`,
    ];
  }
  const found = findColumns(answer, gold);
  if (found === undefined) return [first];
  const lacking = gold.columns.flatMap((name, index) =>
    found.includes(index) ? [] : [columnName(name, index)],
  );
  return [first, `What it has is right, and it lacks ${lacking.join(', ')} of the gold.`];
}

function orderSentences({ gold, diff, answerSql, others }: ExplainInput): string[] {
  const { order } = diff.counts;
  const sentences = [
    `Equal as multisets, but the gold orders its ${plural(gold.rows.length, 'row', 'rows')} and ${plural(order, 'row of the answer is', 'rows of the answer are')} elsewhere.`,
  ];
  if (!hasTopLevelOrderBy(answerSql)) sentences.push('The answer has no ORDER BY.');
  if (others.some((each) => each.comparisonMode === 'rows@1' && each.matched)) {
    sentences.push("Only rows that are equal on the gold's sort keys have changed places.");
  }
  return sentences;
}

function rowsSentence(gold: ResultTable, answer: ResultTable, { counts }: RowsDiff): string {
  const { missing, extra, same, order, types } = counts;
  if (answer.rows.length === 0) {
    return `The answer has no rows, and the gold ${gold.rows.length}.`;
  }
  if (gold.rows.length === 0) {
    return `The gold has no rows, and the answer ${answer.rows.length}.`;
  }
  if (same + order + types === 0) {
    return `None of the answer's ${plural(answer.rows.length, 'row', 'rows')} is in the gold, which has ${gold.rows.length}.`;
  }
  if (missing === 0) {
    return `The answer has all ${plural(gold.rows.length, 'row', 'rows')} of the gold and ${extra} more: it filters or joins too loosely.`;
  }
  if (extra === 0) {
    return `All of the answer's rows are right, but it misses ${missing} of the gold's ${gold.rows.length}: it filters or joins too strictly.`;
  }
  return `The answer has ${plural(extra, 'row', 'rows')} that the gold lacks and misses ${missing} of the gold's ${gold.rows.length}.`;
}

/** What the rows have to do with one another all the same; empty if nothing that is known here. */
function causeOf({ gold, grade }: ExplainInput, answer: ResultTable): string {
  const [goldKeys, answerKeys] = [keysOf(gold.rows), keysOf(answer.rows)];
  if (grade.comparisonMode !== 'set@1' && sameSet(goldKeys, answerKeys)) {
    return repeatsSentence(goldKeys, answerKeys);
  }
  const found = findColumns(gold, answer);
  if (found !== undefined) {
    return `The columns are in another order: the gold's are the answer's ${positions(found)}.`;
  }
  const likeness = findLikeness(gold, answer);
  if (likeness !== undefined) {
    const where = likeness.columns.map((index) => columnName(gold.columns[index] ?? '', index));
    return `The only difference is in ${where.join(', ') || 'the cells'}: ${likeness.words}.`;
  }
  if (gold.rows.length !== answer.rows.length || gold.columns.length < 2) return '';
  const unlike = unlikeColumns(gold, answer);
  if (unlike.length === 0) {
    return "Each column holds the gold's values, paired otherwise: rows are joined to the wrong ones.";
  }
  if (unlike.length === gold.columns.length) return '';
  const names = unlike.map((index) => columnName(gold.columns[index] ?? '', index));
  return `Only ${names.join(', ')} holds other values; the other columns hold the gold's.`;
}

function repeatsSentence(goldKeys: readonly string[], answerKeys: readonly string[]): string {
  const distinctCount = new Set(goldKeys).size;
  const rows = plural(distinctCount, 'different row', 'different rows');
  if (goldKeys.length === distinctCount) {
    return `Both hold the same ${rows}, but the answer repeats some: it lacks a DISTINCT or a GROUP BY.`;
  }
  if (answerKeys.length === distinctCount) {
    return `Both hold the same ${rows}, but the gold repeats some: the answer's DISTINCT, GROUP BY or set operation drops them.`;
  }
  return `Both hold the same ${rows}, but repeat them a different number of times.`;
}

function otherModes({ grade, others }: ExplainInput): string {
  const { comparisonMode, matched } = grade;
  const otherwise = others.filter(
    (other) => other.comparisonMode !== comparisonMode && other.matched !== matched,
  );
  if (otherwise.length === 0) return '';
  const names = otherwise.map((other) => other.comparisonMode).join(' and ');
  return matched
    ? `${names} would have called it a ${otherwise[0]?.verdict.replaceAll('_', ' ')}.`
    : `${names} would have called it a match.`;
}

function flagSentences({ matched, reward, flags }: Grade): string[] {
  const sentences: string[] = [];
  if (matched && flags.includes('both_empty')) {
    sentences.push('Any query without rows would have matched.');
  }
  if (flags.includes('answer_table_free')) sentences.push('The answer reads no table.');
  else if (flags.includes('answer_constant')) sentences.push('The answer is a constant.');
  if (matched && reward === 0) sentences.push('The strict guard gives no reward for that.');
  if (matched && flags.includes('gold_scalar')) {
    sentences.push('The gold is a single value, which is easy to guess.');
  }
  if (!matched && flags.includes('gold_tie')) {
    sentences.push(
      "The gold's LIMIT cuts between rows that are equal on its sort keys: other rows would be as right.",
    );
  }
  if (flags.includes('gold_volatile')) {
    sentences.push('The gold reads the clock or a random function, so its rows change.');
  }
  if (flags.includes('wall_backstop')) {
    sentences.push('The wall-clock limit stopped it, which a busy machine can cause.');
  }
  return sentences;
}

function positions(indices: readonly number[]): string {
  const numbers = indices.map((index) => index + 1);
  return `${numbers.length === 1 ? 'column' : 'columns'} ${numbers.join(', ')}`;
}

function columnName(name: string, index: number): string {
  return `column ${index + 1} (${name})`;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

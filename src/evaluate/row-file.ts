import { z } from 'zod';
import { readTextFile } from '../tasks/read-text.ts';
import { InputError } from '../tasks/task-set.ts';
import type { ScoredRow } from './row.ts';

/** The verdicts on one row, as files hold them. null: it can't be had, and `problems` says why. */
export const RowRecordSchema = z.object({
  index: z.int(),
  task_id: z.string(),
  attempt: z.int(),
  database_id: z.string(),
  hardness: z.string(),
  exec: z.boolean().nullable(),
  exact: z.boolean().nullable(),
  pred_parsed: z.boolean().nullable(),
  legacy_exec: z.boolean().nullable(),
  verdict: z.string(),
  legacy_verdict: z.string(),
  capped: z.boolean(),
  error_text: z.string(),
  problems: z.array(z.string()),
  question: z.string(),
  gold_sql: z.string(),
  answer_sql: z.string().nullable(),
});

/** One line of a file of rows. */
export type RowRecord = Readonly<z.infer<typeof RowRecordSchema>>;

/** The columns of a TSV file: first those of the official scripts' wrappers, then ours. */
const TSV_COLUMNS = [
  'index',
  'database_id',
  'hardness',
  'exec',
  'exact',
  'pred_parsed',
  'legacy_exec',
  'verdict',
  'legacy_verdict',
  'capped',
  'task_id',
  'attempt',
  'error_text',
  'problems',
  'gold_sql',
  'answer_sql',
  'question',
] as const satisfies readonly (keyof RowRecord)[];

/** Columns that are 1, 0 or empty. */
const FLAGS: ReadonlySet<string> = new Set([
  'exec',
  'exact',
  'pred_parsed',
  'legacy_exec',
  'capped',
]);
const NUMBERS: ReadonlySet<string> = new Set(['index', 'attempt']);

/** A row as files hold it. */
export function rowRecord(scored: ScoredRow): RowRecord {
  const { row, match, execution, legacyExecution, problems } = scored;
  return {
    index: row.index,
    task_id: row.task.taskId,
    attempt: row.attempt,
    database_id: row.task.databaseId,
    hardness: match?.hardness ?? row.task.difficulty,
    exec: execution?.matched ?? null,
    exact: match?.exact ?? null,
    pred_parsed: match === undefined ? null : match.parseError === '',
    legacy_exec: legacyExecution?.matched ?? null,
    verdict: execution?.verdict ?? '',
    legacy_verdict: legacyExecution?.verdict ?? '',
    capped: execution?.capped ?? false,
    error_text: execution?.errorText ?? '',
    problems: [...problems],
    question: row.task.question,
    gold_sql: row.task.goldSql,
    answer_sql: row.answerSql ?? null,
  };
}

/** The text of a file of rows: JSON lines, or TSV with a header. */
export function formatRows(rows: readonly RowRecord[], format: 'jsonl' | 'tsv'): string {
  if (format === 'jsonl') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const lines = rows.map((row) => TSV_COLUMNS.map((column) => tsvCell(row[column])).join('\t'));
  return [TSV_COLUMNS.join('\t'), ...lines].map((line) => `${line}\n`).join('');
}

/** Reads a file of rows in either format. Throws {@link InputError}: a row that is left out would shift a comparison. */
export function readRows(file: string): RowRecord[] {
  const text = readTextFile(file);
  const lines = text.split('\n').filter((line) => line !== '');
  const isJson = lines[0]?.startsWith('{') === true;
  if (!isJson && lines[0] !== TSV_COLUMNS.join('\t')) {
    throw new InputError(`${file}: it holds no rows of sqlenv evaluate --rows`);
  }
  const values = isJson ? lines.map(parseJson) : lines.slice(1).map(parseTsv);
  return values.map((value, index) => {
    const parsed = RowRecordSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const line = index + (isJson ? 1 : 2);
    throw new InputError(`${file}:${line}: ${issue?.path.join('.') ?? ''}: ${issue?.message}`);
  });
}

function tsvCell(value: RowRecord[keyof RowRecord]): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : value.join('; ');
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function parseTsv(line: string): unknown {
  const cells = line.split('\t');
  if (cells.length !== TSV_COLUMNS.length) return undefined;
  const entries = TSV_COLUMNS.map((column, index) => {
    const text = unescape(cells[index] ?? '');
    if (FLAGS.has(column)) return [column, text === '' ? null : text === '1'];
    if (NUMBERS.has(column)) return [column, Number(text)];
    if (column === 'problems') return [column, text === '' ? [] : text.split('; ')];
    return [column, column === 'answer_sql' && text === '' ? null : text];
  });
  return Object.fromEntries(entries);
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (whole, letter: string) => ESCAPES[letter] ?? whole);
}

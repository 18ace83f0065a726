import type { PromptStyle } from '../../env/prompt.ts';
import { buildMessages } from '../../env/prompt.ts';
import type { Task } from '../../env/task.ts';
import type { DatabaseSchema, QueryExecutor } from '../episodes/ports.ts';
import { concurrently } from '../evaluate/concurrently.ts';
import { retried } from '../evaluate/retried.ts';
import { usableTasks } from '../tasks/load-databases.ts';
import type { LocatedTask } from '../tasks/task-set.ts';
import type { Source } from './source.ts';

/** A row that no data is made of, and why. */
export interface DroppedRow {
  readonly taskId: string;
  readonly databaseId: string;
  readonly reason: 'database' | 'gold' | 'schema_too_long';
  readonly message: string;
}

/** The rows of a source that data can be made of. */
export interface CheckedRows {
  readonly tasks: readonly Task[];
  readonly schemas: ReadonlyMap<string, DatabaseSchema>;
  readonly dropped: readonly DroppedRow[];
}

/** How rows are checked. */
export interface CheckOptions {
  readonly promptStyle: PromptStyle;
  /** Characters that the schema may take in the prompt; undefined is no limit. */
  readonly schemaCharsMax: number | undefined;
  readonly concurrency: number;
  readonly onProgress?: (rowCount: number, totalCount: number) => void;
}

const NEVER = new AbortController().signal;

/** Runs every gold, reads every schema, and drops the rows that would teach nothing. */
export async function checkRows(
  executor: QueryExecutor,
  source: Source,
  options: CheckOptions,
): Promise<CheckedRows> {
  const { schemas, problems } = await readSchemas(executor, source);
  const tooLong = tooLongSchemas(schemas, options);
  let checkedCount = 0;
  const found = await concurrently(source.tasks, options.concurrency, async (located) => {
    const dropped = await checkRow(executor, located, problems, tooLong);
    checkedCount += 1;
    options.onProgress?.(checkedCount, source.tasks.length);
    return dropped;
  });
  const kept = source.tasks.filter((_, index) => found[index] === undefined);
  return {
    tasks: usableTasks(kept, schemas),
    schemas,
    dropped: found.filter((row) => row !== undefined),
  };
}

async function readSchemas(executor: QueryExecutor, { databases }: Source) {
  const schemas = new Map<string, DatabaseSchema>();
  const problems = new Map(databases.problems);
  for (const databaseId of databases.idsByDatabase.keys()) {
    const read = await retried(() => executor.readSchema(databaseId, NEVER));
    if (read.kind === 'schema') schemas.set(databaseId, read.schema);
    else problems.set(databaseId, 'message' in read ? read.message : read.kind);
  }
  return { schemas, problems };
}

/** By database: how many characters its schema takes in the prompt, where that is too many. */
function tooLongSchemas(
  schemas: ReadonlyMap<string, DatabaseSchema>,
  { promptStyle, schemaCharsMax }: CheckOptions,
): Map<string, number> {
  const empty = buildMessages(promptStyle, { tableSqls: [], tables: [] }, '')[0]?.content ?? '';
  const lengths = [...schemas].map(([databaseId, schema]): [string, number] => {
    const system = buildMessages(promptStyle, schema, '')[0]?.content ?? '';
    return [databaseId, system.length - empty.length];
  });
  return new Map(
    lengths.filter(([, length]) => schemaCharsMax !== undefined && length > schemaCharsMax),
  );
}

async function checkRow(
  executor: QueryExecutor,
  { task }: LocatedTask,
  problems: ReadonlyMap<string, string>,
  tooLong: ReadonlyMap<string, number>,
): Promise<DroppedRow | undefined> {
  const { taskId, databaseId, goldSql } = task;
  const problem = problems.get(databaseId);
  if (problem !== undefined) return { taskId, databaseId, reason: 'database', message: problem };
  const length = tooLong.get(databaseId);
  if (length !== undefined) {
    const message = `its schema has ${length} characters in the prompt`;
    return { taskId, databaseId, reason: 'schema_too_long', message };
  }
  const gold = await retried(() => executor.describeGold(databaseId, goldSql, NEVER));
  if (gold.kind === 'gold') return undefined;
  if (gold.kind === 'gold_broken') {
    return { taskId, databaseId, reason: 'gold', message: gold.message };
  }
  // What is ours, not the gold's, must not decide which rows there are.
  throw new Error(`${taskId}: ${'message' in gold ? gold.message : gold.kind}`);
}

import type { ExecutionOptions } from '../../env/spider/execution-sql.ts';
import type { SpiderKeys } from '../../env/spider/foreign-keys.ts';
import type { QueryExecutor } from '../episodes/ports.ts';
import type { DatabaseFiles } from './database-files.ts';
import type { GradeSpiderRequest, SpiderGrader } from './ports.ts';
import type { AnswerRow, ScoredRow } from './row.ts';
import { scoreRows } from './score-rows.ts';
import { readParserSchema, type ParserSchema } from './spider-schemas.ts';

/** The executor as evaluation uses it. */
export interface EvaluationExecutor extends QueryExecutor {
  readonly spider: SpiderGrader;
}

/** How rows are evaluated. */
export interface EvaluationOptions {
  readonly execution: ExecutionOptions;
  readonly clocks: GradeSpiderRequest['clocks'];
  readonly concurrency: number;
  readonly onProgress?: (rowCount: number, totalCount: number) => void;
}

/** Evaluates rows over databases: reads each schema once, then scores. */
export async function evaluateRows(
  executor: EvaluationExecutor,
  databases: DatabaseFiles,
  keys: ReadonlyMap<string, SpiderKeys>,
  rows: readonly AnswerRow[],
  options: EvaluationOptions,
): Promise<ScoredRow[]> {
  const { schemas, problems } = await readSchemas(executor, databases, keys);
  return await scoreRows(rows, {
    grader: executor.spider,
    schemas,
    idsByDatabase: databases.idsByDatabase,
    databaseProblems: problems,
    options: options.execution,
    clocks: options.clocks,
    concurrency: options.concurrency,
    ...(options.onProgress && { onProgress: options.onProgress }),
  });
}

async function readSchemas(
  executor: QueryExecutor,
  databases: DatabaseFiles,
  keys: ReadonlyMap<string, SpiderKeys>,
) {
  const schemas = new Map<string, ParserSchema>();
  const problems = new Map(databases.problems);
  const ids = [...databases.idsByDatabase.keys()];
  await Promise.all(
    ids.map(async (databaseId) => {
      const read = await readParserSchema(executor, databaseId, keys.get(databaseId));
      if (typeof read === 'string') problems.set(databaseId, read);
      else schemas.set(databaseId, read);
    }),
  );
  return { schemas, problems };
}

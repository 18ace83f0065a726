import { DEFAULT_LIMITS } from '../../env/limits.ts';
import type { QueryExecutor } from '../episodes/ports.ts';
import { concurrently } from './concurrently.ts';
import type { ChangedRow } from './compare-runs.ts';

/** What the queries of one changed row give, as a model would read it. */
export interface ChangedResults {
  readonly gold: string;
  readonly a: string;
  readonly b: string;
}

/** Code points of each result that are shown. */
const TEXT_SIZE_MAX = 300;

/** Runs gold and both answers of each changed row. */
export async function runChanged(
  executor: QueryExecutor,
  changed: readonly ChangedRow[],
  concurrency: number,
): Promise<ChangedResults[]> {
  return await concurrently(changed, concurrency, async ({ a, b }) => {
    const run = async (sql: string | null): Promise<string> =>
      sql === null ? '' : await showResult(executor, a.database_id, sql);
    const [gold, resultA, resultB] = await Promise.all([
      run(a.gold_sql),
      run(a.answer_sql),
      run(b.answer_sql),
    ]);
    return { gold, a: resultA, b: resultB };
  });
}

async function showResult(
  executor: QueryExecutor,
  databaseId: string,
  sql: string,
): Promise<string> {
  const observation = { textSizeMax: TEXT_SIZE_MAX, truncateSide: 'right' } as const;
  const request = { databaseId, sql, limits: DEFAULT_LIMITS, observation };
  const reply = await executor.runQuery(request, new AbortController().signal);
  return reply.kind === 'ran' ? reply.text : `not run: ${reply.kind}`;
}

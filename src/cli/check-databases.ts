import type { DatabaseSchema, QueryExecutor } from '../episodes/ports.ts';
import { databaseProblem, type NeededDatabase } from '../tasks/load-databases.ts';
import type { InputProblem } from '../tasks/task-set.ts';

/** What was found in the databases. */
export interface CheckedDatabases {
  /** By database, for those that can be used. */
  readonly schemas: ReadonlyMap<string, DatabaseSchema>;
  readonly problems: readonly InputProblem[];
}

/**
 * Reads the schema of every database through the executor, as every query will: what is corrupt, locked or encrypted shows
 * here. One after the other, so that a short queue is no problem.
 */
export async function checkDatabases(
  executor: QueryExecutor,
  needed: readonly NeededDatabase[],
  present: ReadonlyMap<string, unknown>,
): Promise<CheckedDatabases> {
  const schemas = new Map<string, DatabaseSchema>();
  const problems: InputProblem[] = [];
  for (const database of needed) {
    const { databaseId } = database;
    // One whose file is missing has been reported.
    if (!present.has(databaseId)) continue;
    const read = await executor.readSchema(databaseId, new AbortController().signal);
    if (read.kind === 'schema') schemas.set(databaseId, read.schema);
    else problems.push(databaseProblem(database, describeFailure(read)));
  }
  return { schemas, problems };
}

function describeFailure(failure: { readonly kind: string; readonly message?: string }): string {
  return failure.message ?? `it can't be read (${failure.kind})`;
}

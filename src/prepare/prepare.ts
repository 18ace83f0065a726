import path from 'node:path';
import type { PromptStyle } from '../../env/prompt.ts';
import type { Task } from '../../env/task.ts';
import type { EngineInfo, QueryExecutor } from '../episodes/ports.ts';
import { sha256 } from '../sqlite/hash.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import { chatLines } from './chat-lines.ts';
import { checkRows, type CheckedRows, type DroppedRow } from './check-rows.ts';
import { chooseRows, type ChosenRows, type RowCounts } from './choose-rows.ts';
import { OutputFolder } from './output-folder.ts';
import type { Source } from './source.ts';
import { verlParquet, type VerlNames } from './verl-parquet.ts';

/** What is made. */
export interface PrepareOptions {
  /** The kind of source, for the manifest. */
  readonly source: string;
  readonly counts: RowCounts;
  readonly seed: string;
  readonly promptStyle: PromptStyle;
  readonly schemaCharsMax: number | undefined;
  readonly names: VerlNames;
  readonly concurrency: number;
  readonly onProgress?: (rowCount: number, totalCount: number) => void;
}

/** What was made. */
export interface Prepared {
  readonly rowCounts: Readonly<Record<Kind, number>>;
  readonly databaseCount: number;
  readonly dropped: readonly DroppedRow[];
  /** Lines of the source that are no tasks. */
  readonly problems: readonly InputProblem[];
  readonly manifestSha256: string;
}

const KINDS = ['train', 'rl', 'eval'] as const;
type Kind = (typeof KINDS)[number];

/** Version of the manifest's format. */
const MANIFEST_VERSION = 1;

/** Makes the data of a source: tasks, chats, verl's parquet, databases, and a manifest. The same input gives the same bytes. */
export async function prepare(
  executor: QueryExecutor & { readonly engine: EngineInfo },
  source: Source,
  outFolder: string,
  options: PrepareOptions,
): Promise<Prepared> {
  const checked = await checkRows(executor, source, {
    promptStyle: options.promptStyle,
    schemaCharsMax: options.schemaCharsMax,
    concurrency: options.concurrency,
    ...(options.onProgress && { onProgress: options.onProgress }),
  });
  const chosen = chooseRows(checked.tasks, options.counts, options.seed, sha256);
  // Only now is anything of an earlier run taken away: what can't be made leaves it as it is.
  const out = await OutputFolder.open(outFolder);
  await writeRows(out, chosen, checked, options);
  const databaseIds = await copyDatabases(out, chosen, source);
  const facts = manifestFacts(chosen, checked, databaseIds, source, options, executor.engine);
  return {
    rowCounts: countsOf(chosen),
    databaseCount: databaseIds.length,
    dropped: checked.dropped,
    problems: source.problems,
    manifestSha256: await out.finish(facts),
  };
}

async function writeRows(
  out: OutputFolder,
  chosen: ChosenRows,
  { schemas }: CheckedRows,
  { promptStyle, names }: PrepareOptions,
): Promise<void> {
  await out.write('tasks.jsonl', KINDS.map((kind) => taskLines(chosen[kind], kind)).join(''));
  for (const kind of KINDS) {
    const tasks = chosen[kind];
    if (tasks.length === 0) continue;
    if (kind !== 'rl') await out.write(`${kind}.jsonl`, chatLines(tasks, schemas, promptStyle));
    if (kind === 'train') continue;
    await out.write(`${kind}.parquet`, verlParquet(tasks, schemas, promptStyle, kind, names));
  }
}

function taskLines(tasks: readonly Task[], split: Kind): string {
  return tasks
    .map(({ taskId, databaseId, question, goldSql, difficulty }) => {
      const line = {
        task_id: taskId,
        database_id: databaseId,
        question,
        gold_sql: goldSql,
        split,
        difficulty,
      };
      return `${JSON.stringify(line)}\n`;
    })
    .join('');
}

/** Copies the databases in use, and what tables.json says of them. */
async function copyDatabases(
  out: OutputFolder,
  chosen: ChosenRows,
  { databases, tables }: Source,
): Promise<string[]> {
  const used = new Set(KINDS.flatMap((kind) => chosen[kind]).map((task) => task.databaseId));
  const databaseIds = [...used].toSorted();
  for (const databaseId of databaseIds) {
    for (const fileId of databases.idsByDatabase.get(databaseId) ?? []) {
      const file = databases.files.get(fileId);
      if (file === undefined) throw new Error(`no file of ${fileId}`);
      const name = `${path.posix.basename(fileId)}.sqlite`;
      await out.copy(`databases/${databaseId}/${name}`, file.path);
    }
  }
  const entries = tables.filter(({ db_id: id }) => typeof id === 'string' && used.has(id));
  if (entries.length > 0) await out.write('tables.json', `${JSON.stringify(entries)}\n`);
  return databaseIds;
}

function countsOf(chosen: ChosenRows): Record<Kind, number> {
  return { train: chosen.train.length, rl: chosen.rl.length, eval: chosen.eval.length };
}

function manifestFacts(
  chosen: ChosenRows,
  checked: CheckedRows,
  databaseIds: readonly string[],
  source: Source,
  options: PrepareOptions,
  engine: EngineInfo,
): Record<string, unknown> {
  const splits = KINDS.map((kind) => {
    const tasks = chosen[kind];
    const ids = [...new Set(tasks.map((task) => task.databaseId))].toSorted();
    const golds = tasks.map((task) => `${task.taskId}\0${sha256(task.goldSql)}\n`).toSorted();
    return [
      kind,
      {
        row_count: tasks.length,
        database_count: ids.length,
        golds_sha256: sha256(golds.join('')),
        database_ids: ids,
      },
    ];
  });
  return {
    version: MANIFEST_VERSION,
    source: options.source,
    options: {
      rows: options.counts.train ?? null,
      rl_rows: options.counts.rl ?? null,
      eval_rows: options.counts.eval ?? null,
      seed: options.seed,
      prompt: options.promptStyle,
      schema_chars_max: options.schemaCharsMax ?? null,
      data_source: options.names.dataSource,
      agent_name: options.names.agentName,
    },
    sqlite_version: engine.sqliteVersion,
    source_row_count: source.tasks.length,
    usable_row_count: checked.tasks.length,
    database_count: databaseIds.length,
    splits: Object.fromEntries(splits),
    left_out: {
      over_held_out_databases: chosen.heldOutDatabaseRows.length,
      same_gold_as_train: chosen.sharedGoldRows.length,
    },
    dropped: checked.dropped.map(({ taskId, databaseId, reason, message }) => ({
      task_id: taskId,
      database_id: databaseId,
      reason,
      message,
    })),
    problems: source.problems,
  };
}

import type { Task } from '../../env/task.ts';
import { InputError } from '../tasks/task-set.ts';

/** How many rows of each kind are wanted; undefined takes what there is. */
export interface RowCounts {
  /** For supervised training; by default half of the training rows. */
  readonly train: number | undefined;
  /** For reinforcement learning. */
  readonly rl: number | undefined;
  /** Held out. */
  readonly eval: number | undefined;
}

/** Rows by what they are for. */
export interface ChosenRows {
  readonly train: readonly Task[];
  readonly rl: readonly Task[];
  readonly eval: readonly Task[];
  /** Training rows that were left out because held-out rows are over their databases. */
  readonly heldOutDatabaseRows: readonly Task[];
  /** Rows that were left out because a row of another kind has the same gold over the same database. */
  readonly sharedGoldRows: readonly Task[];
}

type Hash = (text: string) => string;

/** Splits whose rows are held out; all others are for training. */
const HELD_OUT_SPLITS: ReadonlySet<string> = new Set(['dev', 'eval', 'test', 'val', 'validation']);

/** Where the tasks name no held-out split, about this share of them is held out, by whole databases. */
const HELD_OUT_SHARE = 0.1;

/**
 * Chooses rows. Held-out rows come from databases that no training row uses; a gold is either in `train` or in `rl`, also
 * when several questions share it. The order depends on the seed and the task ids alone, so that more rows of one kind are
 * the same rows and some more. Throws {@link InputError} if nothing is left to train on.
 */
export function chooseRows(
  tasks: readonly Task[],
  counts: RowCounts,
  seed: string,
  hash: Hash,
): ChosenRows {
  const heldOut = heldOutDatabases(tasks, seed, hash);
  const isHeldOut = (task: Task): boolean => heldOut.databaseIds.has(task.databaseId);
  const candidates = tasks.filter((task) => isHeldOut(task) && heldOut.isEval(task));
  const heldOutDatabaseRows = tasks.filter((task) => isHeldOut(task) && !heldOut.isEval(task));
  const pool = ordered(
    tasks.filter((task) => !isHeldOut(task)),
    seed,
    hash,
    goldKey,
  );
  if (pool.length === 0) {
    throw new InputError(
      'no rows are left to train on: every database has held-out rows; give tasks over more databases',
    );
  }
  const train = pool.slice(0, counts.train ?? Math.ceil(pool.length / 2));
  const trainGolds = new Set(train.map(goldKey));
  const rest = pool.slice(train.length);
  const sharedGoldRows = rest.filter((task) => trainGolds.has(goldKey(task)));
  const rl = rest.filter((task) => !trainGolds.has(goldKey(task))).slice(0, counts.rl);
  const evalRows = ordered(candidates, seed, hash, goldKey).slice(0, counts.eval);
  return { train, rl, eval: evalRows, heldOutDatabaseRows, sharedGoldRows };
}

/** Questions that ask for the same get the same key: blanks, case and a closing semicolon don't make another query. */
function goldKey({ databaseId, goldSql }: Task): string {
  const gold = goldSql.replaceAll(/\s+/g, ' ').replace(/[\s;]+$/, '');
  return `${databaseId}\0${gold.trim().toLowerCase()}`;
}

function heldOutDatabases(tasks: readonly Task[], seed: string, hash: Hash) {
  const named = tasks.filter((task) => HELD_OUT_SPLITS.has(task.split));
  if (named.length > 0) {
    const databaseIds = new Set(named.map((task) => task.databaseId));
    return { databaseIds, isEval: (task: Task) => HELD_OUT_SPLITS.has(task.split) };
  }
  const rowCounts = new Map<string, number>();
  for (const { databaseId } of tasks) {
    rowCounts.set(databaseId, (rowCounts.get(databaseId) ?? 0) + 1);
  }
  const shuffled = [...rowCounts.keys()]
    .map((databaseId) => ({ databaseId, key: hash(`${seed}\0${databaseId}`) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const databaseIds = new Set<string>();
  let rowCount = 0;
  for (const { databaseId } of shuffled.slice(1)) {
    if (rowCount >= tasks.length * HELD_OUT_SHARE) break;
    databaseIds.add(databaseId);
    rowCount += rowCounts.get(databaseId) ?? 0;
  }
  return { databaseIds, isEval: () => true };
}

/** Rows in an order that the seed decides; rows with the same key stay together. */
function ordered(
  tasks: readonly Task[],
  seed: string,
  hash: Hash,
  keyOf: (task: Task) => string,
): Task[] {
  return tasks
    .map((task) => ({
      task,
      key: `${hash(`${seed}\0${keyOf(task)}`)} ${hash(`${seed}\0${task.taskId}`)}`,
    }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ task }) => task);
}

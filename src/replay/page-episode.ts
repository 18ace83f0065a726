import type { Trajectory } from '../../env/trajectory.ts';
import { PAGE_LIMITS, type PageEpisode, type PageTail, type WholeText } from './page-data.ts';
import type { AnswerComparison, Replayer } from './ports.ts';

/** Makes the episodes of a page, with what playing them again adds, within the limits of the page. */
export interface PageEpisodes {
  /** One episode. Rejects with the signal's reason if it is aborted; what can't be played says why in the page. */
  make(trajectory: Trajectory, signal: AbortSignal): Promise<PageEpisode>;
  /** What was counted and gathered over all episodes so far. */
  tail(): PageTail;
}

/** Without a replayer the page has the records alone. */
export function pageEpisodes(replayer: Replayer | undefined): PageEpisodes {
  const schemas = new Map<string, readonly string[]>();
  let [comparisonCount, mismatchCount, wholeTextCount] = [0, 0, 0];

  const comparison = async (
    trajectory: Trajectory,
    signal: AbortSignal,
  ): Promise<Partial<PageEpisode>> => {
    if (!isMismatch(trajectory)) return {};
    mismatchCount += 1;
    if (replayer === undefined) return { comparisonNote: NO_DATABASES };
    if (comparisonCount >= PAGE_LIMITS.comparisonCountMax) return { comparisonNote: TOO_MANY };
    comparisonCount += 1;
    try {
      const whole = await replayer.compareAnswer(trajectory, signal);
      return { comparison: bounded(whole), comparisonRowCount: whole.rows.length };
    } catch (error) {
      signal.throwIfAborted();
      comparisonCount -= 1;
      return { comparisonNote: `The answer could not be compared again: ${messageOf(error)}.` };
    }
  };

  const wholeTexts = async (trajectory: Trajectory, signal: AbortSignal): Promise<WholeText[]> => {
    const texts: WholeText[] = [];
    if (replayer === undefined) return texts;
    for (const { stepIndex, messageIndex, sql, seen } of shortened(trajectory)) {
      if (wholeTextCount >= PAGE_LIMITS.wholeTextCountMax) break;
      const text = await wholeText(replayer, trajectory, { sql, seen }, signal);
      if (text === undefined) continue;
      wholeTextCount += 1;
      texts.push({ stepIndex, messageIndex, text });
    }
    return texts;
  };

  const addSchema = async (trajectory: Trajectory, signal: AbortSignal): Promise<void> => {
    const { database_id: databaseId } = trajectory;
    if (replayer === undefined || schemas.has(databaseId)) return;
    // Set first: a database that is missing is asked for once, not for each of its episodes.
    schemas.set(databaseId, []);
    const texts = await orUndefined(replayer.schema(trajectory, signal), signal);
    const size = texts?.reduce((sum, text) => sum + text.length, 0) ?? 0;
    if (texts !== undefined && size <= PAGE_LIMITS.schemaSizeMax) schemas.set(databaseId, texts);
  };

  return {
    make: async (trajectory, signal) => {
      signal.throwIfAborted();
      await addSchema(trajectory, signal);
      const goldSql =
        trajectory.gold_sql ??
        (replayer && (await orUndefined(replayer.goldSql(trajectory), signal)));
      const texts = await wholeTexts(trajectory, signal);
      return {
        trajectory,
        ...(goldSql === undefined ? {} : { goldSql }),
        ...(await comparison(trajectory, signal)),
        ...(texts.length === 0 ? {} : { wholeTexts: texts }),
      };
    },
    tail: () => ({
      sqliteVersion: replayer?.engine.sqliteVersion ?? '',
      warnings: replayer?.warnings ?? [],
      comparisonCount,
      mismatchCount,
      schemas: Object.fromEntries([...schemas].filter(([, texts]) => texts.length > 0)),
    }),
  };
}

const NO_DATABASES =
  'The page was written without the databases, so the results were not compared again.';
const TOO_MANY = `A page holds at most ${PAGE_LIMITS.comparisonCountMax} comparisons; this one is beyond them. The terminal program shows it.`;

/** An answer was graded and is not right: what one wants to see beside the gold. */
function isMismatch({ grade }: Trajectory): boolean {
  return grade !== null && !grade.matched && grade.answer_sql !== '';
}

function bounded(comparison: AnswerComparison): AnswerComparison {
  const { comparisonRowCountMax } = PAGE_LIMITS;
  // Differences are what is looked for: rows that are the same only fill what is left.
  const differing = comparison.rows.filter(({ kind }) => kind !== 'same').length;
  let sameLeft = Math.max(0, comparisonRowCountMax - differing);
  const kept = comparison.rows.filter(({ kind }) => kind !== 'same' || (sameLeft -= 1) >= 0);
  const rows = kept.slice(0, comparisonRowCountMax).map(({ kind, gold, answer }) => ({
    kind,
    gold: gold?.map(boundedCell),
    answer: answer?.map(boundedCell),
  }));
  return { ...comparison, rows };
}

function boundedCell(cell: string): string {
  const { cellSizeMax } = PAGE_LIMITS;
  return cell.length <= cellSizeMax ? cell : `${cell.slice(0, cellSizeMax)} … (${cell.length})`;
}

interface Shortened {
  readonly stepIndex: number;
  readonly messageIndex: number;
  readonly sql: string;
  readonly seen: string;
}

/** Observations of queries that ran well and were shown in part. */
function shortened(trajectory: Trajectory): Shortened[] {
  return trajectory.steps.flatMap((step) =>
    step.queries.flatMap((query, messageIndex) => {
      const message = step.messages[messageIndex];
      if (!query.text_truncated || query.status !== 'ok' || message === undefined) return [];
      const { step_index: stepIndex } = step;
      return [{ stepIndex, messageIndex, sql: query.sql, seen: message.content }];
    }),
  );
}

/** The text before it was shortened; undefined if the database says otherwise today, or it is too long. */
async function wholeText(
  replayer: Replayer,
  trajectory: Trajectory,
  { sql, seen }: { readonly sql: string; readonly seen: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const run = await orUndefined(replayer.runQuery(trajectory, sql, signal), signal);
  if (run === undefined || run.shown.message.content !== seen) return undefined;
  const { content } = run.whole.message;
  return content.length <= PAGE_LIMITS.wholeTextSizeMax ? content : undefined;
}

/** What only adds to the page may fail; an abort may not be swallowed. */
async function orUndefined<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  try {
    return await work;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

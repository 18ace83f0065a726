import type { CancelSignal } from '../cancel.ts';
import type { ExecutorFailure, GoldBroken } from '../episodes/ports.ts';
import type {
  GradeSpiderRequest,
  SpiderComparison,
  SpiderGraded,
  SpiderGrader,
} from '../evaluate/ports.ts';
import { planExecution } from '../../env/spider/execution-sql.ts';
import { timeLimitMessage } from '../../env/refusals.ts';
import { failureOf } from './executor-failure.ts';
import type { JobReply } from './job.ts';
import type { DatabaseFile } from './messages.ts';
import type { Scheduler } from './scheduler.ts';
import { SpiderBatches } from './spider-batches.ts';

/** Runs a gold once for all callers. */
type RunGold = (file: DatabaseFile, goldSql: string, signal: CancelSignal) => Promise<JobReply>;

/** {@link SpiderGrader} over the executor's threads. */
export class SqliteSpiderGrader implements SpiderGrader {
  readonly #databases: ReadonlyMap<string, DatabaseFile>;
  readonly #scheduler: Scheduler;
  readonly #batches: SpiderBatches;
  readonly #runGold: RunGold;

  constructor(
    databases: ReadonlyMap<string, DatabaseFile>,
    scheduler: Scheduler,
    runGold: RunGold,
  ) {
    this.#databases = databases;
    this.#scheduler = scheduler;
    this.#batches = new SpiderBatches(scheduler);
    this.#runGold = runGold;
  }

  /** Judges an answer as the official scripts do; see {@link SpiderGrader}. */
  async gradeSpider(
    request: GradeSpiderRequest,
    signal: CancelSignal,
  ): Promise<SpiderGraded | ExecutorFailure> {
    const { databaseIds, comparisons, clocks } = request;
    const found = databaseIds.map((databaseId) => this.#databases.get(databaseId));
    const [file, ...moreFiles] = found.filter((each) => each !== undefined);
    if (file === undefined || moreFiles.length + 1 !== databaseIds.length) {
      return { kind: 'database_not_found' };
    }
    const outcomes = await this.#batches.grade({ file, moreFiles, comparisons }, clocks);
    if (outcomes !== undefined) return { kind: 'spider_graded', outcomes };
    const texts = comparisons.map((each) => `${each.mode}\0${each.goldSql}\0${each.answerSql}`);
    const reply = await this.#scheduler.run(
      {
        purpose: 'spider',
        key: `${databaseIds[0]}\0${texts.join('\0')}`,
        clocks,
        build: (attempt) => ({
          kind: 'grade_spider',
          file,
          moreFiles,
          comparisons,
          limits: clocks,
          ...attempt,
        }),
        // Gold or answer is inside one long step of SQLite, and nobody knows which.
        timedOut: () => ({ kind: 'starved' }),
      },
      signal,
    );
    if (reply.kind === 'starved') return await this.#explain(request, [file, ...moreFiles], signal);
    return reply.kind === 'spider_graded'
      ? { kind: 'spider_graded', outcomes: reply.outcomes }
      : failureOf(reply);
  }

  /** Finds out whether golds are to blame: only where they aren't, it is the answer's own fault. */
  async #explain(
    request: GradeSpiderRequest,
    files: readonly DatabaseFile[],
    signal: CancelSignal,
  ): Promise<SpiderGraded | ExecutorFailure> {
    const { comparisons, clocks } = request;
    const errorText = timeLimitMessage('wall', {
      queryCpuMsMax: clocks.cpuMs,
      queryWallMsMax: clocks.wallMs,
    });
    const outcomes: SpiderGraded['outcomes'][number][] = [];
    for (const comparison of comparisons) {
      const goldRowCounts: number[] = [];
      let broken: GoldBroken | undefined;
      // The older script knows the first database only.
      for (const file of comparison.mode === 'spider-exec@1' ? files : files.slice(0, 1)) {
        const reply = await this.#runGold(file, goldText(comparison), signal);
        if (reply.kind === 'gold') goldRowCounts.push(reply.gold.rowCount);
        else if (reply.kind === 'gold_broken')
          broken = { kind: reply.kind, message: reply.message };
        else return failureOf(reply);
      }
      const goldRowCount = goldRowCounts[0] ?? 0;
      const verdict = 'answer_time_limit';
      outcomes.push(broken ?? { kind: 'verdict', verdict, errorText, goldRowCount, capped: false });
    }
    return { kind: 'spider_graded', outcomes };
  }
}

function goldText(comparison: SpiderComparison): string {
  return comparison.mode === 'spider-exec@1'
    ? planExecution(comparison.goldSql, '', comparison.options).gold
    : comparison.goldSql;
}

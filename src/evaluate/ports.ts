import type { ExecutionOptions } from '../../env/spider/execution-sql.ts';
import type { SpiderSql } from '../../env/spider/sql-tree.ts';
import type { Verdict } from '../../env/grade.ts';
import type { ExecutorFailure, GoldBroken } from '../episodes/ports.ts';

/** One of the official comparisons by execution, with what it needs to know. SQL is as it was written. */
export type SpiderComparison =
  | {
      readonly mode: 'spider-exec@1';
      readonly goldSql: string;
      readonly answerSql: string;
      readonly options: ExecutionOptions;
    }
  | {
      readonly mode: 'spider-exec-legacy@1';
      readonly goldSql: string;
      readonly answerSql: string;
      /** Of both as `matchSpiderSql` with the legacy evaluator rewrites them. */
      readonly goldSelect: SpiderSql['select'];
      readonly answerSelect: SpiderSql['select'];
    };

/** An answer to be judged as the official scripts do. */
export interface GradeSpiderRequest {
  /** The answer must match on each of them, in this order; the older script knows the first only. */
  readonly databaseIds: readonly [string, ...string[]];
  readonly comparisons: readonly SpiderComparison[];
  /** For each run of the answer. An answer may always take twice as long as its gold. */
  readonly clocks: { readonly cpuMs: number; readonly wallMs: number };
}

/** The official verdict on one answer. */
export interface SpiderVerdict {
  readonly kind: 'verdict';
  /** Of the answer as it was written, unless one with plugged values matches. */
  readonly verdict: Verdict;
  /** SQLite's message for an answer that failed; empty otherwise. */
  readonly errorText: string;
  /** On the first database. */
  readonly goldRowCount: number;
  /** Not all ways to plug values were tried: a match may have been missed. */
  readonly capped: boolean;
}

/** One outcome for each comparison, in their order. */
export interface SpiderGraded {
  readonly kind: 'spider_graded';
  readonly outcomes: readonly (SpiderVerdict | GoldBroken)[];
}

/** Runs the comparisons that are Spider's own. Like `QueryExecutor` it never rejects for what SQL or load can cause. */
export interface SpiderGrader {
  gradeSpider(
    request: GradeSpiderRequest,
    signal: AbortSignal,
  ): Promise<SpiderGraded | ExecutorFailure>;
}

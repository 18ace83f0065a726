import type { ComponentScores } from '../../env/spider/components.ts';
import type { Hardness } from '../../env/spider/hardness.ts';
import type { Task } from '../../env/task.ts';
import type { EpisodeRecord } from './episode-record.ts';

/** One answer to be scored. */
export interface AnswerRow {
  /** Place in the run, from 0. */
  readonly index: number;
  /** Which attempt at its task it is, from 0: a run may hold several. */
  readonly attempt: number;
  readonly task: Task;
  /** undefined: there is no answer. */
  readonly answerSql: string | undefined;
  /** The episode that it comes from. */
  readonly record?: EpisodeRecord | undefined;
  /** Why the row can't be scored, whatever its answer is: the gold isn't the one that it was recorded with. */
  readonly problem?: string | undefined;
}

/** What one evaluator makes of a row without running anything. */
export interface MatchScore {
  readonly exact: boolean;
  readonly components: ComponentScores;
  readonly hardness: Hardness;
  /** The class of Spider's parser's error; empty if it can read the answer. */
  readonly parseError: string;
}

/** What running an answer says. */
export interface ExecutionScore {
  readonly matched: boolean;
  readonly verdict: string;
  /** SQLite's message for an answer that failed; empty otherwise. */
  readonly errorText: string;
  /** Not all ways to plug values were tried. */
  readonly capped: boolean;
}

/** All verdicts on one row. undefined is a verdict that can't be had, and `problems` says why. */
export interface ScoredRow {
  readonly row: AnswerRow;
  /** By test-suite-sql-eval. */
  readonly match: MatchScore | undefined;
  readonly execution: ExecutionScore | undefined;
  /** By the older evaluation.py. */
  readonly legacyMatch: MatchScore | undefined;
  readonly legacyExecution: ExecutionScore | undefined;
  /** Why verdicts are missing. */
  readonly problems: readonly string[];
}

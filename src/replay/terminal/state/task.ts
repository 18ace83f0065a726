import type { Trajectory } from '../../../../env/trajectory.ts';
import type { RunSqlResult } from '../../../episodes/requests.ts';
import type { TextTerm } from '../../filter.ts';
import type { AnswerComparison, EpisodeCheck } from '../../ports.ts';

/** What a person types in a fork. */
export type ForkInput = 'sql' | 'answer' | 'turn';

/** Work that takes time and can be cancelled. Data only: who does it is in `run-task.ts`. */
export type TaskRequest =
  | { readonly kind: 'read'; readonly index: number }
  | {
      readonly kind: 'search';
      readonly terms: readonly TextTerm[];
      readonly indices: readonly number[];
    }
  /** Records of a group, one after the other. */
  | { readonly kind: 'read_siblings'; readonly indices: readonly number[] }
  /** The whole text of an observation that was cut, to show what the model did not see. */
  | { readonly kind: 'whole'; readonly place: CallPlace; readonly sql: string }
  /** A step's query once more, to be compared with the record. */
  | { readonly kind: 'rerun'; readonly place: CallPlace; readonly sql: string }
  | { readonly kind: 'compare'; readonly trajectory: Trajectory }
  | { readonly kind: 'schema'; readonly trajectory: Trajectory }
  | { readonly kind: 'check'; readonly trajectory: Trajectory }
  | { readonly kind: 'try_query'; readonly trajectory: Trajectory; readonly sql: string }
  | { readonly kind: 'try_answer'; readonly trajectory: Trajectory; readonly sql: string }
  | { readonly kind: 'fork_open'; readonly trajectory: Trajectory; readonly stepIndex: number }
  | {
      readonly kind: 'fork_run';
      readonly forkId: number;
      readonly input: ForkInput;
      readonly text: string;
    }
  | { readonly kind: 'fork_save'; readonly forkId: number };

/** One tool call of an episode. */
export interface CallPlace {
  readonly trajectory: Trajectory;
  readonly stepIndex: number;
  readonly callIndex: number;
}

/** What came of it. */
export type TaskResult =
  | { readonly kind: 'read'; readonly index: number; readonly trajectory: Trajectory }
  | { readonly kind: 'search'; readonly matches: readonly number[] }
  | { readonly kind: 'read_siblings'; readonly records: ReadonlyMap<number, Trajectory | string> }
  | { readonly kind: 'whole'; readonly place: CallPlace; readonly ran: QueryTried }
  | { readonly kind: 'rerun'; readonly place: CallPlace; readonly ran: QueryTried }
  | {
      readonly kind: 'compare';
      readonly trajectory: Trajectory;
      readonly comparison: AnswerComparison;
    }
  /** Gold and answer could not be run; the gold may be known all the same. */
  | {
      readonly kind: 'compare_failed';
      readonly trajectory: Trajectory;
      readonly problem: string;
      readonly goldSql: string | undefined;
    }
  | { readonly kind: 'schema'; readonly trajectory: Trajectory; readonly tables: readonly string[] }
  | {
      readonly kind: 'check';
      readonly check: EpisodeCheck;
      /** Why something may differ: another database file, another SQLite, ... */
      readonly reasons: readonly string[];
    }
  | { readonly kind: 'try_query'; readonly ran: QueryTried }
  | { readonly kind: 'try_answer'; readonly comparison: AnswerComparison }
  | { readonly kind: 'fork_open'; readonly forkId: number; readonly fork: ForkFacts }
  | { readonly kind: 'fork_run'; readonly fork: ForkFacts }
  | { readonly kind: 'fork_save'; readonly episodeId: string; readonly fork: ForkFacts };

/** A query as the model would read it: shortened, and whole. */
export interface QueryTried {
  readonly shown: RunSqlResult;
  readonly whole: RunSqlResult;
}

/** Where a fork is; a copy, since the fork itself goes on. */
export interface ForkFacts {
  readonly trajectory: Trajectory;
  readonly ended: boolean;
}

// Original file: proto/sqlenv/v1/score.proto

import type { Verdict as _sqlenv_v1_Verdict, Verdict__Output as _sqlenv_v1_Verdict__Output } from '../../sqlenv/v1/Verdict.ts';
import type { ScoreFlag as _sqlenv_v1_ScoreFlag, ScoreFlag__Output as _sqlenv_v1_ScoreFlag__Output } from '../../sqlenv/v1/ScoreFlag.ts';
import type { QueryInfo as _sqlenv_v1_QueryInfo, QueryInfo__Output as _sqlenv_v1_QueryInfo__Output } from '../../sqlenv/v1/QueryInfo.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * One answer under one comparison mode.
 */
export interface Grade {
  /**
   * Name and version of the mode, for example `bag@1`.
   */
  'comparisonMode'?: (string);
  /**
   * What the comparison says.
   */
  'verdict'?: (_sqlenv_v1_Verdict);
  /**
   * True iff the verdict is a match.
   */
  'matched'?: (boolean);
  /**
   * The reward, 0 or 1; a strict guard can make it 0 for a match.
   */
  'reward'?: (number | string);
  /**
   * What makes the verdict suspect.
   */
  'flags'?: (_sqlenv_v1_ScoreFlag)[];
  /**
   * The SQL that was taken as the answer; empty if there was none.
   */
  'answerSql'?: (string);
  /**
   * SQLite's message for an answer that failed.
   */
  'errorText'?: (string);
  /**
   * How the answer ran.
   */
  'answerQuery'?: (_sqlenv_v1_QueryInfo | null);
  /**
   * Rows of the gold's result.
   */
  'goldRowCount'?: (number | string | Long);
}

/**
 * One answer under one comparison mode.
 */
export interface Grade__Output {
  /**
   * Name and version of the mode, for example `bag@1`.
   */
  'comparisonMode': (string);
  /**
   * What the comparison says.
   */
  'verdict': (_sqlenv_v1_Verdict__Output);
  /**
   * True iff the verdict is a match.
   */
  'matched': (boolean);
  /**
   * The reward, 0 or 1; a strict guard can make it 0 for a match.
   */
  'reward': (number);
  /**
   * What makes the verdict suspect.
   */
  'flags': (_sqlenv_v1_ScoreFlag__Output)[];
  /**
   * The SQL that was taken as the answer; empty if there was none.
   */
  'answerSql': (string);
  /**
   * SQLite's message for an answer that failed.
   */
  'errorText': (string);
  /**
   * How the answer ran.
   */
  'answerQuery': (_sqlenv_v1_QueryInfo__Output | null);
  /**
   * Rows of the gold's result.
   */
  'goldRowCount': (number);
}

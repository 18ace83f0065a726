// Original file: proto/sqlenv/v1/environment_service.proto

import type { Grade as _sqlenv_v1_Grade, Grade__Output as _sqlenv_v1_Grade__Output } from '../../sqlenv/v1/Grade.ts';

/**
 * The answer under each mode.
 */
export interface ScoreResponse {
  /**
   * One a mode, in the order asked for.
   */
  'grades'?: (_sqlenv_v1_Grade)[];
  /**
   * The gold SQL, if asked for.
   */
  'goldSql'?: (string);
}

/**
 * The answer under each mode.
 */
export interface ScoreResponse__Output {
  /**
   * One a mode, in the order asked for.
   */
  'grades': (_sqlenv_v1_Grade__Output)[];
  /**
   * The gold SQL, if asked for.
   */
  'goldSql': (string);
}

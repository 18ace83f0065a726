// Original file: proto/sqlenv/v1/environment_service.proto

import type { PromptStyle as _sqlenv_v1_PromptStyle, PromptStyle__Output as _sqlenv_v1_PromptStyle__Output } from '../../sqlenv/v1/PromptStyle.ts';

/**
 * Asks for a page of tasks.
 */
export interface ListTasksRequest {
  /**
   * Tasks a page, 1 to 1000; 0 takes 100.
   */
  'pageSize'?: (number);
  /**
   * From the previous response; empty for the first page.
   */
  'pageToken'?: (string);
  /**
   * Only this split.
   */
  'split'?: (string);
  /**
   * Only this database.
   */
  'databaseId'?: (string);
  /**
   * Only this difficulty.
   */
  'difficulty'?: (string);
  /**
   * Include the gold SQL: for debugging and for building data sets, never for a model.
   */
  'includeGold'?: (boolean);
  /**
   * Include the prompts.
   */
  'includeMessages'?: (boolean);
  /**
   * How the prompts show the schema.
   */
  'promptStyle'?: (_sqlenv_v1_PromptStyle);
}

/**
 * Asks for a page of tasks.
 */
export interface ListTasksRequest__Output {
  /**
   * Tasks a page, 1 to 1000; 0 takes 100.
   */
  'pageSize': (number);
  /**
   * From the previous response; empty for the first page.
   */
  'pageToken': (string);
  /**
   * Only this split.
   */
  'split': (string);
  /**
   * Only this database.
   */
  'databaseId': (string);
  /**
   * Only this difficulty.
   */
  'difficulty': (string);
  /**
   * Include the gold SQL: for debugging and for building data sets, never for a model.
   */
  'includeGold': (boolean);
  /**
   * Include the prompts.
   */
  'includeMessages': (boolean);
  /**
   * How the prompts show the schema.
   */
  'promptStyle': (_sqlenv_v1_PromptStyle__Output);
}

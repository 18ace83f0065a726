// Original file: proto/sqlenv/v1/environment_service.proto

import type { Task as _sqlenv_v1_Task, Task__Output as _sqlenv_v1_Task__Output } from '../../sqlenv/v1/Task.ts';

/**
 * A page of tasks.
 */
export interface ListTasksResponse {
  /**
   * The tasks, in the order of the task set.
   */
  'tasks'?: (_sqlenv_v1_Task)[];
  /**
   * For the next request; empty after the last page.
   */
  'nextPageToken'?: (string);
  /**
   * Tasks that fit the filters, on all pages.
   */
  'totalCount'?: (number);
}

/**
 * A page of tasks.
 */
export interface ListTasksResponse__Output {
  /**
   * The tasks, in the order of the task set.
   */
  'tasks': (_sqlenv_v1_Task__Output)[];
  /**
   * For the next request; empty after the last page.
   */
  'nextPageToken': (string);
  /**
   * Tasks that fit the filters, on all pages.
   */
  'totalCount': (number);
}

/** A question about a database, with the SQL whose rows are right. */
export interface Task {
  /** Stable and unique in its task set, for example `spider/dev/17`. */
  readonly taskId: string;
  readonly databaseId: string;
  readonly question: string;
  readonly goldSql: string;
  /** `train`, `dev` or another name; empty if the task set has none. */
  readonly split: string;
  /** `easy`, `medium`, `hard`, `extra`; empty if the gold can't be classified by the official Spider rule. */
  readonly difficulty: string;
}

/** One message of a chat. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

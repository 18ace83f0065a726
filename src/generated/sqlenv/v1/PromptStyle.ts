// Original file: proto/sqlenv/v1/task.proto

/**
 * How the prompt shows the schema.
 */
export const PromptStyle = {
  /**
   * The server's default.
   */
  PROMPT_STYLE_UNSPECIFIED: 'PROMPT_STYLE_UNSPECIFIED',
  /**
   * The full CREATE TABLE text of every table, and the tool named in the system message.
   */
  PROMPT_STYLE_DDL: 'PROMPT_STYLE_DDL',
  /**
   * One line a table with its columns; no tool is mentioned.
   */
  PROMPT_STYLE_COMPACT: 'PROMPT_STYLE_COMPACT',
} as const;

/**
 * How the prompt shows the schema.
 */
export type PromptStyle =
  /**
   * The server's default.
   */
  | 'PROMPT_STYLE_UNSPECIFIED'
  | 0
  /**
   * The full CREATE TABLE text of every table, and the tool named in the system message.
   */
  | 'PROMPT_STYLE_DDL'
  | 1
  /**
   * One line a table with its columns; no tool is mentioned.
   */
  | 'PROMPT_STYLE_COMPACT'
  | 2

/**
 * How the prompt shows the schema.
 */
export type PromptStyle__Output = typeof PromptStyle[keyof typeof PromptStyle]

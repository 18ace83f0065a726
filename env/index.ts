/** The environment: pure functions and plain data, no I/O, no clock, no randomness. */
export type { Action } from './action.ts';
export { scoreFlags, type AnswerFacts } from './answer-flags.ts';
export { compareRows, judgeRows, type CompareOptions } from './compare/modes.ts';
export { digestKeys, rowKey, rowKeys, type Hash } from './compare/row-keys.ts';
export {
  summarize,
  summarizeGold,
  type GoldFacts,
  type GoldSummary,
  type ResultSummary,
} from './compare/summary.ts';
export { compareSpiderLegacy, type LegacyResult } from './compare/spider-exec-legacy.ts';
export { spiderResultsMatch } from './compare/spider-exec.ts';
export { compareSpiderMatch, type SpiderMatchVerdict } from './compare/spider-match.ts';
export { deriveTies, type TieInput, type Ties } from './compare/ties.ts';
export { isInvalidText, type InvalidText, type SqlRow, type SqlValue } from './compare/value.ts';
export {
  applyAnswer,
  applyCalls,
  beginEpisode,
  planStep,
  refusalReply,
  TRANSCRIPT_SIZE_MAX,
  type AnswerPlan,
  type CallPlan,
  type CallReply,
  type CallsPlan,
  type EpisodeConfig,
  type EpisodeEnd,
  type EpisodeState,
  type OnMalformed,
  type RefusedCall,
  type RefusedStatus,
  type RunCall,
  type StepOutcome,
  type StepPlan,
  type StepResult,
  type TerminationReason,
  type TruncationReason,
} from './episode.ts';
export { extractAnswer } from './final-answer.ts';
export {
  COMPARISON_MODES,
  DEFAULT_SCORE,
  type AnswerFallback,
  type AnswerScope,
  type ComparisonMode,
  type Grade,
  type Judgement,
  type RewardGuard,
  type ScoreFlag,
  type ScoreOptions,
  type Verdict,
} from './grade.ts';
export {
  checkArguments,
  checkArgumentValue,
  checkSql,
  parseToolCalls,
  type ArgumentCheck,
  type ToolCallFound,
  type ToolCallsFound,
} from './hermes.ts';
export { parsePythonJson, type JsonParsed, type JsonValue } from './json-parse.ts';
export {
  DEFAULT_LIMITS,
  FIELD_LIMITS,
  GOLD_LIMITS,
  LIMIT_RANGES,
  type EpisodeLimits,
  type LimitRange,
  type QueryLimits,
} from './limits.ts';
export {
  createObservationWriter,
  errorText,
  noResultText,
  type ObservationText,
  type ObservationWriter,
} from './observation.ts';
export {
  buildMessages,
  TOOL_SCHEMA,
  TOOL_SCHEMA_JSON,
  type PromptSchema,
  type PromptStyle,
} from './prompt.ts';
export { floatRepr, jsonCell, jsonString, type JsonCell } from './python-json.ts';
export {
  DEFAULT_OBSERVATION,
  type ObservationOptions,
  type QueryInfo,
  type QueryStatus,
  type TimeLimit,
  type TruncateSide,
} from './query.ts';
export {
  FORBIDDEN_MESSAGE,
  forbiddenText,
  invalidArgumentsText,
  malformedCallText,
  NUL_MESSAGE,
  SECOND_STATEMENT_MESSAGE,
  SURROGATE_MESSAGE,
  timeLimitMessage,
  timeLimitText,
  TOO_BIG_MESSAGE,
  tooBigText,
  TOOL_NAME,
  unknownToolText,
} from './refusals.ts';
export { gradeOf, missingAnswer, rewardOf, type Reward } from './reward.ts';
export { sortKeyQuery, type SortKeyQuery } from './sort-keys.ts';
export { matchSpiderSql, type MatchReport, type MatchRequest } from './spider/exact-match.ts';
export { planExecution, type ExecutionOptions } from './spider/execution-sql.ts';
export { spiderHardness, type Hardness } from './spider/hardness.ts';
export { formatSpiderTotals, spiderTotals, type SpiderTotals } from './spider/totals.ts';
export {
  callsVolatileFunction,
  hasSecondStatement,
  hasTopLevelOrderBy,
  isEmptyStatement,
} from './sql-text.ts';
export { mcNemarTest, type McNemarTest } from './stats/mcnemar.ts';
export type { Message, Task } from './task.ts';
export { truncateText, type TruncatedText } from './truncate.ts';
export { decodeBackslashReplace, hasLoneSurrogate, utf8Prefix, utf8Size } from './utf8.ts';

import type { Trajectory } from '../../env/trajectory.ts';
import type { StepOutcome } from '../../env/episode.ts';
import type {
  ResetRequest,
  ResetResult,
  RunSqlRequest,
  RunSqlResult,
  ScoreRequest,
  ScoreResult,
  StepRequest,
} from '../episodes/requests.ts';
import type { EngineInfo } from '../episodes/ports.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import type { SearchedText } from './filter-terms.ts';

/**
 * What is kept in memory of a recorded episode: enough to list, sort, filter and group it. The whole record stays on disk and
 * is read when it is looked at. Texts that repeat are shared.
 */
export interface EpisodeSummary {
  /** Its place in the library, from 0, forks behind all others; `EpisodeLibrary.read` takes it. */
  readonly index: number;
  readonly episodeId: string;
  readonly taskId: string;
  readonly databaseId: string;
  readonly question: string;
  readonly groupId: string;
  readonly split: string;
  /** Empty if unknown. */
  readonly difficulty: string;
  readonly mode: 'train' | 'eval';
  readonly end: Trajectory['end'];
  /** `answer`, `malformed_call`, `step_limit`, ...; empty if neither the task nor a limit ended it. */
  readonly endReason: string;
  /** Empty if no answer was graded. */
  readonly verdict: string;
  /** Of the grade; undefined if no answer was graded. */
  readonly reward: number | undefined;
  readonly stepCount: number;
  /** Tool messages that the model got. */
  readonly toolCallCount: number;
  readonly flags: readonly string[];
  /** How many observations were shortened. */
  readonly truncatedCount: number;
  /** How many queries ended otherwise than ok. */
  readonly failedQueryCount: number;
  readonly comparisonMode: string;
  readonly completionTokenCount: number;
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  /** From its start to its end, milliseconds. */
  readonly durationMs: number;
  /** Longest step in the server, milliseconds. */
  readonly stepMsMax: number;
  readonly sqliteVersion: string;
  readonly catalogSha256: string;
  /** Set if it is a fork: the episode that it was forked from. */
  readonly parentId: string | undefined;
}

/** Recorded episodes, found in files and folders. */
export interface EpisodeLibrary {
  readonly episodes: readonly EpisodeSummary[];
  /** Lines and files that can't be read, with their places; the others are there all the same. */
  readonly problems: readonly InputProblem[];
  /** Reads one episode from disk. Rejects with `InputError` if the file has changed or gone. */
  read(index: number): Promise<Trajectory>;
  /** Of these episodes, those whose record holds the text (case ignored); reads the files in one pass. */
  searchText(
    text: SearchedText,
    indices: readonly number[],
    signal: AbortSignal,
    onProgress?: (count: number, totalCount: number) => void,
  ): Promise<number[]>;
  /** Removes temporary files; idempotent. */
  close(): Promise<void>;
}

/** What is known of a task's gold where the episode is played. */
export type GoldFound =
  | { readonly kind: 'found'; readonly goldSql: string }
  /** The task is there with another gold than the recorded one. */
  | { readonly kind: 'changed' }
  /** Nobody knows the task; the reason is for the user. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Where recorded actions are played again: the service in this process, or a server. */
export interface ReplayEnvironment {
  /** What decides observations and rewards there. */
  readonly engine: EngineInfo;
  readonly serverVersion: string;
  /** Of the tasks and databases there; undefined where they are those of the record. */
  readonly catalogSha256: string | undefined;
  reset(request: ResetRequest, signal: AbortSignal): Promise<ResetResult>;
  step(request: StepRequest, signal: AbortSignal): Promise<StepOutcome>;
  closeEpisode(episodeId: string): Promise<void>;
  score(request: ScoreRequest, signal: AbortSignal): Promise<ScoreResult>;
  runSql(request: RunSqlRequest, signal: AbortSignal): Promise<RunSqlResult>;
  /** The gold of a task with this SHA-256. */
  findGold(taskId: string, goldSha256: string): Promise<GoldFound>;
}

/** Gives each episode the environment to play it in: one for all on a server, one for each catalog in this process. */
export interface ReplaySource {
  readonly engine: EngineInfo;
  readonly serverVersion: string;
  /** Of what a server has; undefined where each record has its own. */
  readonly catalogSha256: string | undefined;
  /** What makes replays doubtful, found so far: a database that is not the recorded one. */
  readonly warnings: readonly string[];
  /** Rejects with `InputError` if its database can't be found or read. */
  environmentOf(trajectory: Trajectory): Promise<ReplayEnvironment>;
  /** The gold of an episode's task, whose database may be missing. */
  findGold(trajectory: Trajectory): Promise<GoldFound>;
  /** Ends threads and connections; idempotent. */
  stop(): Promise<void>;
}

/** One row of a comparison of two results. */
export interface RowDifference {
  /** `order`: the row is on both sides, elsewhere. `types`: equal by the comparison, but shown otherwise, as 2 and 2.0. */
  readonly kind: 'same' | 'missing' | 'extra' | 'order' | 'types';
  /** Cells as JSON texts; undefined on the side where the row isn't. */
  readonly gold: readonly string[] | undefined;
  readonly answer: readonly string[] | undefined;
}

/** One side of a comparison. */
export interface ResultShown {
  readonly sql: string;
  /** Status of its query; anything but `ok` leaves columns and rows empty. */
  readonly status: string;
  /** SQLite's message if it failed. */
  readonly errorText: string;
  readonly columns: readonly string[];
  readonly rowCount: number;
  /** A cap cut it: the comparison is over the first rows only. */
  readonly capped: boolean;
}

/** Gold and answer of an episode side by side. */
export interface AnswerComparison {
  readonly gold: ResultShown;
  /** Undefined if the episode has no answer. */
  readonly answer: ResultShown | undefined;
  /** At most a fixed number of rows: the gold in its order, then the extra rows. `counts` is over all of them. */
  readonly rows: readonly RowDifference[];
  readonly counts: Readonly<Record<RowDifference['kind'], number>>;
  /** The verdict of every comparison mode, that of the record included. */
  readonly verdicts: readonly {
    readonly comparisonMode: string;
    readonly verdict: string;
    readonly reward: number;
    readonly flags: readonly string[];
    /** True for the mode that decided the recorded reward. */
    readonly decided: boolean;
  }[];
  /** Why the reward is what it is, in a sentence. */
  readonly explanation: string;
}

/** One thing that came out otherwise than recorded. */
export interface ReplayDifference {
  readonly episodeId: string;
  /** Undefined: the prompt, or the episode as a whole. */
  readonly stepIndex: number | undefined;
  /** What differs: `observation`, `reward`, `verdict`, `prompt`, `status`, `end`, ... */
  readonly what: string;
  readonly recorded: string;
  readonly now: string;
  /** What may be the reason, in a sentence. */
  readonly note?: string;
}

/** How an episode came out when its recorded actions were played again. */
export type EpisodeCheck =
  /** `unchecked`: why its reward could not be checked, though all else was. */
  | { readonly kind: 'same'; readonly unchecked?: string }
  | {
      readonly kind: 'different';
      readonly differences: readonly ReplayDifference[];
      readonly unchecked?: string;
    }
  /** It could not be played: its database is missing, its gold unknown, ... */
  | { readonly kind: 'unplayable'; readonly reason: string };

/** A trial of a person: an episode that goes on by hand from a step of a recorded one. */
export interface ForkSession {
  /** What was said and read so far, the replayed steps included, in the form of the record. */
  readonly trajectory: Trajectory;
  /** What came out otherwise than recorded when the steps before it were replayed; it forbids nothing. */
  readonly differences: readonly ReplayDifference[];
  /** True once the episode has ended: nothing more can be done but save it. */
  readonly ended: boolean;
  /** Runs a query as the model's tool call would. */
  runSql(sql: string, signal: AbortSignal): Promise<StepOutcome>;
  /** A whole turn as the model would write it. */
  say(assistantText: string, signal: AbortSignal): Promise<StepOutcome>;
  /** Gives a SQL query as the final answer and ends the episode. */
  answer(sql: string, signal: AbortSignal): Promise<StepOutcome>;
  /** Appends it to the file as a new trajectory with its parent, and gives its episode id. */
  save(file: string): Promise<string>;
  /** Ends it without saving; idempotent. */
  discard(): Promise<void>;
}

/** Everything that can be done with a recorded episode beside looking at it. All methods reject with `InputError` if they can't. */
export interface Replayer {
  /** Of the place where it plays; its texts are empty until it has been opened by the first call. */
  readonly engine: EngineInfo;
  /** Likewise. */
  readonly serverVersion: string;
  /** Of what a server has; undefined where each record has its own. */
  readonly catalogSha256: string | undefined;
  /** What makes replays doubtful, found so far: a database that is not the recorded one. */
  readonly warnings: readonly string[];
  /** Plays the whole episode again and compares every observation and reward, byte by byte. */
  check(trajectory: Trajectory, signal: AbortSignal): Promise<EpisodeCheck>;
  /** Gold and answer side by side; `answerSql` in place of the recorded answer if given. */
  compareAnswer(
    trajectory: Trajectory,
    signal: AbortSignal,
    answerSql?: string,
  ): Promise<AnswerComparison>;
  /** What the model would read for a query, with the episode's limits: shortened, and whole. */
  runQuery(
    trajectory: Trajectory,
    sql: string,
    signal: AbortSignal,
  ): Promise<{ readonly shown: RunSqlResult; readonly whole: RunSqlResult }>;
  /** Replays the steps before `stepIndex` and hands over. */
  fork(trajectory: Trajectory, stepIndex: number, signal: AbortSignal): Promise<ForkSession>;
  /** The gold SQL: of the record, or of the task set; undefined if it isn't known. */
  goldSql(trajectory: Trajectory): Promise<string | undefined>;
  /** CREATE texts of the episode's database, one a table, to be shown. */
  schema(trajectory: Trajectory, signal: AbortSignal): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** What the terminal program needs. */
export interface TerminalOptions {
  readonly library: EpisodeLibrary;
  /** Undefined: recorded episodes can only be looked at. */
  readonly replayer: Replayer | undefined;
  /** Why there is no replayer. */
  readonly replayerProblem: string | undefined;
  /** Where forks are appended. */
  readonly forkFile: string;
  /** What the list is filtered by at first; empty shows all. */
  readonly filter: string;
}

import type { Trajectory } from '../../../../env/trajectory.ts';
import type { InputProblem } from '../../../tasks/task-set.ts';
import type { AnswerComparison, EpisodeSummary } from '../../ports.ts';
import type { DiffLine } from '../text/diff-lines.ts';
import type { EditBuffer } from './edit-buffer.ts';
import type { Key } from './key.ts';
import type { ListFigures, ListRow, SortKey } from './list-rows.ts';
import type { ForkInput, QueryTried, TaskRequest, TaskResult } from './task.ts';

/** Of the terminal, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What does not change while the program runs. */
export interface Facts {
  readonly episodes: readonly EpisodeSummary[];
  readonly problems: readonly InputProblem[];
  /** Why nothing can be run again; undefined if it can. */
  readonly replayerProblem: string | undefined;
  readonly forkFile: string;
  /** There is a `$EDITOR`. */
  readonly hasEditor: boolean;
}

/** Everything that is on the screen or decides what a key does. A value; only `update` makes new ones. */
export interface State {
  readonly facts: Facts;
  readonly size: Size;
  /** From the list, which is always there, to what is on top. */
  readonly views: readonly [ListView, ...View[]];
  readonly status: Status | undefined;
  /** What makes replays doubtful, found so far. */
  readonly warnings: readonly string[];
  readonly tasks: readonly RunningTask[];
  readonly nextTaskId: number;
  /** Frame of the spinner. */
  readonly tick: number;
}

/** A short message in the line above the keys. */
export interface Status {
  readonly kind: 'info' | 'good' | 'warn' | 'bad';
  readonly text: string;
}

/** Work that is under way. */
export interface RunningTask {
  readonly id: number;
  readonly request: TaskRequest;
  /** For the status line; empty for what goes on unnoticed. */
  readonly label: string;
  /** Views that were there when it began: it belongs to the last of them. */
  readonly depth: number;
  readonly count: number;
  /** 0 if it isn't known. */
  readonly totalCount: number;
}

/** What fills the screen. */
export type View = ListView | EpisodeView | EditView | ForkView | SiblingsView | PagerView;

/** The list of episodes. */
export interface ListView {
  readonly kind: 'list';
  /** In force. */
  readonly filter: string;
  /** While it is being typed. */
  readonly input: EditBuffer | undefined;
  /** Why what is typed is no filter; empty if it is one. */
  readonly inputProblem: string;
  readonly sort: SortKey;
  readonly descending: boolean;
  readonly grouped: boolean;
  readonly unfolded: ReadonlySet<string>;
  /** Those whose records hold the filter's texts; undefined if it has none. */
  readonly textMatches: ReadonlySet<number> | undefined;
  readonly matches: readonly number[];
  readonly figures: ListFigures;
  readonly rows: readonly ListRow[];
  /** Index in `rows`. */
  readonly cursor: number;
  /** Index in `rows` of the first one on the screen. */
  readonly top: number;
}

/** One episode. Page 0 is the prompt, page n step n - 1, and the last one the verdict. */
export interface EpisodeView {
  readonly kind: 'episode';
  readonly index: number;
  /** Undefined while it is read. */
  readonly trajectory: Trajectory | undefined;
  readonly page: number;
  /** Which tool call of the step. */
  readonly callIndex: number;
  /** Index of the pane that the arrow keys scroll. */
  readonly focus: number;
  readonly zoomed: boolean;
  /** What is shown beside what the model saw. */
  readonly beside: 'cut' | 'table';
  /** Lines scrolled, by pane. */
  readonly scroll: Readonly<Record<string, number>>;
  /** Whole observations by `step:call`; a text says why there is none. */
  readonly wholes: Readonly<Record<string, QueryTried | string>>;
  readonly comparison: AnswerComparison | undefined;
  /** Why there is no comparison. */
  readonly comparisonProblem: string;
  /** Of the task set, where there is no comparison that holds it. */
  readonly goldSql: string | undefined;
}

/** A query or an answer that is being changed and tried. */
export interface EditView {
  readonly kind: 'edit';
  readonly purpose: 'query' | 'answer';
  readonly trajectory: Trajectory;
  readonly title: string;
  readonly buffer: EditBuffer;
  readonly result: EditResult | undefined;
  readonly focus: 'input' | 'result';
  readonly scroll: number;
}

/** What came of it. */
export type EditResult =
  | { readonly kind: 'query'; readonly ran: QueryTried }
  | { readonly kind: 'answer'; readonly comparison: AnswerComparison }
  | { readonly kind: 'failed'; readonly message: string };

/** An episode that goes on by hand. */
export interface ForkView {
  readonly kind: 'fork';
  readonly forkId: number;
  readonly parent: Trajectory;
  readonly stepIndex: number;
  readonly trajectory: Trajectory;
  readonly ended: boolean;
  readonly input: ForkInput;
  readonly buffer: EditBuffer;
  readonly focus: 'input' | 'transcript';
  /** Lines scrolled; undefined stays at the end. */
  readonly scroll: number | undefined;
  /** Its episode id, once it is saved as it is now. */
  readonly savedId: string | undefined;
  /** Leaving would lose something, and the person is being asked. */
  readonly asking: boolean;
}

/** The rollouts of a prompt side by side. */
export interface SiblingsView {
  readonly kind: 'siblings';
  readonly title: string;
  readonly indices: readonly number[];
  /** A text says why a record can't be read. */
  readonly records: ReadonlyMap<number, Trajectory | string>;
  readonly cursor: number;
  readonly scroll: number;
}

/** A text to be read: help, schema, diff, problems. */
export interface PagerView {
  readonly kind: 'pager';
  readonly title: string;
  readonly note: string;
  readonly lines: readonly DiffLine[];
  readonly scroll: number;
}

/** What happens to the program. */
export type Message =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'tick' }
  | {
      readonly kind: 'task_progress';
      readonly id: number;
      readonly count: number;
      readonly totalCount: number;
    }
  | { readonly kind: 'task_done'; readonly id: number; readonly result: TaskResult }
  | { readonly kind: 'task_failed'; readonly id: number; readonly message: string }
  /** All that makes replays doubtful, when there is more of it than before. */
  | { readonly kind: 'warned'; readonly warnings: readonly string[] }
  /** What came back from `$EDITOR`; undefined if it failed. */
  | { readonly kind: 'edited'; readonly text: string | undefined; readonly problem: string };

/** What the program is to do besides showing its state. */
export type Command =
  | { readonly kind: 'start'; readonly id: number; readonly request: TaskRequest }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'discard_fork'; readonly forkId: number }
  | { readonly kind: 'open_editor'; readonly text: string }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'quit'; readonly interrupted: boolean };

/** A state and what is to be done. */
export type Updated = readonly [State, readonly Command[]];

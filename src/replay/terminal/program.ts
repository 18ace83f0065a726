import type { Replayer, TerminalOptions } from '../ports.ts';
import type { CursorPlace } from './frame.ts';
import { messageOf, TaskRunner } from './run-task.ts';
import type { Command, Message, Size, State } from './state/state.ts';
import { applyFilter } from './state/update-list.ts';
import { initialState, update } from './state/update.ts';
import { lineWidth, type Line } from './text/line.ts';
import { draw } from './views/draw.ts';

/** What only the one who has the terminal can do. */
export interface TerminalActions {
  /** Lets `$EDITOR` change a text; undefined if there is none, or it failed. */
  editOutside(text: string): { readonly text: string | undefined; readonly problem: string };
  /** Stops the process until the shell goes on with it. */
  suspend(): void;
  quit(interrupted: boolean): void;
  /** An error of ours: the terminal is given back and the error shown. */
  fail(error: unknown): void;
}

const TICK_MS = 100;

/** The state, what changes it, and the work that it asks for. */
export class Program {
  readonly #runner: TaskRunner;
  readonly #replayer: Replayer | undefined;
  readonly #actions: TerminalActions;
  readonly #running = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  #state: State;
  #drawn: { readonly state: State; readonly lines: readonly Line[] } | undefined;
  #notifying = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: TerminalOptions, size: Size, actions: TerminalActions) {
    this.#runner = new TaskRunner(options);
    this.#actions = actions;
    const { library, replayer } = options;
    this.#replayer = replayer;
    const unknown = options.replayerProblem ?? 'nothing can be run again here';
    const facts = {
      episodes: library.episodes,
      problems: library.problems,
      replayerProblem: replayer === undefined ? unknown : undefined,
      forkFile: options.forkFile,
      hasEditor: editorOf(process.env) !== undefined,
    };
    this.#state = initialState(facts, size);
    if (options.filter !== '') this.#apply(applyFilter(this.#state, options.filter));
  }

  /** For React: the state, and to be told of the next one. */
  readonly getState = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes a message. Never throws: an error of ours ends the program in order. */
  readonly dispatch = (message: Message): void => {
    if (this.#closed) return;
    try {
      this.#apply(update(this.#state, message));
    } catch (error) {
      this.#actions.fail(error);
    }
  };

  /** The screen's lines for the state. */
  lines(): readonly Line[] {
    if (this.#drawn?.state !== this.#state) {
      this.#drawn = { state: this.#state, lines: draw(this.#state) };
    }
    return this.#drawn.lines;
  }

  /** Where the cursor of an editor is. */
  cursor(): CursorPlace | undefined {
    for (const [row, line] of (this.#drawn?.lines ?? []).entries()) {
      const at = line.findIndex((span) => span.style === 'cursor');
      if (at !== -1) return { row, column: lineWidth(line.slice(0, at)) };
    }
    return undefined;
  }

  /** Cancels all work; idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const controller of this.#running.values()) controller.abort();
    await this.#runner.close();
  }

  #apply([state, commands]: readonly [State, readonly Command[]]): void {
    this.#state = state;
    for (const command of commands) this.#execute(command);
    this.#keepTime();
    this.#notifySoon();
  }

  #execute(command: Command): void {
    switch (command.kind) {
      case 'start':
        void this.#start(command.id, command.request);
        break;
      case 'cancel':
        this.#running.get(command.id)?.abort();
        break;
      case 'discard_fork':
        this.#runner.discardFork(command.forkId).catch(() => {
          // It ends by its lease then.
        });
        break;
      case 'open_editor':
        this.dispatch({ kind: 'edited', ...this.#actions.editOutside(command.text) });
        break;
      case 'suspend':
        this.#actions.suspend();
        break;
      case 'quit':
        this.#actions.quit(command.interrupted);
        break;
    }
  }

  async #start(id: number, request: Extract<Command, { kind: 'start' }>['request']): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await this.#runner.run(request, controller.signal, (count, totalCount) =>
        this.dispatch({ kind: 'task_progress', id, count, totalCount }),
      );
      this.dispatch({ kind: 'task_done', id, result });
      this.#tellWarnings();
    } catch (error) {
      this.dispatch({ kind: 'task_failed', id, message: messageOf(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  /** A database that is not the recorded one is found out while something runs on it. */
  #tellWarnings(): void {
    const warnings = this.#replayer?.warnings ?? [];
    if (warnings.length === this.#state.warnings.length) return;
    this.dispatch({ kind: 'warned', warnings: [...warnings] });
  }

  /** The spinner turns only while something is under way. */
  #keepTime(): void {
    const busy = this.#state.tasks.some(({ label }) => label !== '');
    if (busy && this.#timer === undefined) {
      this.#timer = setInterval(() => this.dispatch({ kind: 'tick' }), TICK_MS);
    } else if (!busy && this.#timer !== undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Keys that came in one piece are drawn once. */
  #notifySoon(): void {
    if (this.#notifying) return;
    this.#notifying = true;
    setImmediate(() => {
      this.#notifying = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

/** The user's editor, as a shell command. */
export function editorOf(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { VISUAL: visual, EDITOR: editor } = environment;
  return [visual, editor].find((command) => (command ?? '') !== '');
}

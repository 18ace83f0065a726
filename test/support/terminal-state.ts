import type { Trajectory } from '../../env/trajectory.ts';
import { SharedTexts, summaryOf } from '../../src/replay/episode-summary.ts';
import type { Key } from '../../src/replay/terminal/state/key.ts';
import type {
  Command,
  Facts,
  Message,
  Size,
  State,
} from '../../src/replay/terminal/state/state.ts';
import type { TaskResult } from '../../src/replay/terminal/state/task.ts';
import { initialState, update } from '../../src/replay/terminal/state/update.ts';
import { lineText } from '../../src/replay/terminal/text/line.ts';
import { draw } from '../../src/replay/terminal/views/draw.ts';

/** What the state is made from in tests. */
export function factsOf(records: readonly Trajectory[], changes: Partial<Facts> = {}): Facts {
  const texts = new SharedTexts();
  return {
    episodes: records.map((record, index) => summaryOf(record, index, texts)),
    problems: [],
    replayerProblem: undefined,
    forkFile: 'forks.jsonl',
    hasEditor: false,
    ...changes,
  };
}

/** The program's state without terminal and files: keys go in, the screen's text and the commands come out. */
export class StateBed {
  state: State;
  readonly commands: Command[] = [];
  readonly records: readonly Trajectory[];

  constructor(records: readonly Trajectory[], changes: Partial<Facts> = {}, size?: Size) {
    this.records = records;
    this.state = initialState(factsOf(records, changes), size ?? { columns: 100, rows: 30 });
  }

  send(message: Message): void {
    const [state, commands] = update(this.state, message);
    this.state = state;
    this.commands.push(...commands);
    for (const command of commands) this.#answer(command);
  }

  /** Presses keys by their names; a text in quotes is typed. */
  press(...ids: readonly string[]): this {
    for (const id of ids) for (const key of keysOf(id)) this.send({ kind: 'key', key });
    return this;
  }

  /** Ends the last task that was started. */
  finish(result: TaskResult): this {
    const started = this.commands.findLast((command) => command.kind === 'start');
    if (started?.kind !== 'start') throw new Error('nothing was started');
    this.send({ kind: 'task_done', id: started.id, result });
    return this;
  }

  fail(message: string): this {
    const started = this.commands.findLast((command) => command.kind === 'start');
    if (started?.kind !== 'start') throw new Error('nothing was started');
    this.send({ kind: 'task_failed', id: started.id, message });
    return this;
  }

  screen(): string {
    return draw(this.state).map(lineText).join('\n');
  }

  /** Records are at hand, so reading them is answered at once. */
  #answer(command: Command): void {
    if (command.kind !== 'start') return;
    const { id, request } = command;
    if (request.kind === 'read') {
      const trajectory = this.records[request.index];
      if (trajectory === undefined) this.send({ kind: 'task_failed', id, message: 'gone' });
      else this.send({ kind: 'task_done', id, result: { ...request, trajectory } });
    }
    if (request.kind === 'read_siblings') {
      const found = request.indices.map((index) => [index, this.records[index] ?? 'gone'] as const);
      this.send({
        kind: 'task_done',
        id,
        result: { kind: 'read_siblings', records: new Map(found) },
      });
    }
  }
}

function keysOf(id: string): Key[] {
  if (id.startsWith('"')) return Array.from(id.slice(1, -1), (text) => ({ id: text, text }));
  return [{ id, text: Array.from(id).length === 1 ? id : '' }];
}

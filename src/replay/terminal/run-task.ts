import type { Trajectory } from '../../../env/trajectory.ts';
import type { TextTerm } from '../filter.ts';
import { possibleReasons } from '../check-report.ts';
import type { EpisodeLibrary, ForkSession, Replayer, TerminalOptions } from '../ports.ts';
import type { ForkFacts, ForkInput, TaskRequest, TaskResult } from './state/task.ts';

/** Called with how far work is. */
export type OnProgress = (count: number, totalCount: number) => void;

/** Does what takes time: reads records, and runs things through the replayer. */
export class TaskRunner {
  readonly #library: EpisodeLibrary;
  readonly #replayer: Replayer | undefined;
  readonly #options: TerminalOptions;
  readonly #forks = new Map<number, ForkSession>();
  #forkCount = 0;

  constructor(options: TerminalOptions) {
    this.#library = options.library;
    this.#replayer = options.replayer;
    this.#options = options;
  }

  /** Does what is asked for. Rejects with an error whose message is for the user. */
  async run(
    request: TaskRequest,
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<TaskResult> {
    if (request.kind === 'read') {
      return { ...request, trajectory: await this.#library.read(request.index) };
    }
    if (request.kind === 'search') {
      const { terms, indices } = request;
      return {
        kind: 'search',
        matches: await this.#search(terms, indices, signal, onProgress),
      };
    }
    if (request.kind === 'read_siblings') {
      return { kind: 'read_siblings', records: await this.#readAll(request.indices, signal) };
    }
    return await this.#replay(this.#required(), request, signal);
  }

  /** Ends a fork without saving it. */
  async discardFork(forkId: number): Promise<void> {
    const fork = this.#forks.get(forkId);
    this.#forks.delete(forkId);
    await fork?.discard();
  }

  /** Ends all forks. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#forks.keys()].map((forkId) => this.discardFork(forkId)));
  }

  async #replay(
    replayer: Replayer,
    request: Exclude<TaskRequest, { kind: 'read' | 'search' | 'read_siblings' }>,
    signal: AbortSignal,
  ): Promise<TaskResult> {
    switch (request.kind) {
      case 'whole':
      case 'rerun': {
        const { kind, place, sql } = request;
        return { kind, place, ran: await replayer.runQuery(place.trajectory, sql, signal) };
      }
      case 'compare': {
        const { trajectory } = request;
        try {
          const comparison = await replayer.compareAnswer(trajectory, signal);
          return { kind: 'compare', trajectory, comparison };
        } catch (error) {
          signal.throwIfAborted();
          // A gold can be read where its database can't.
          const goldSql = await replayer.goldSql(trajectory).catch(() => undefined);
          return { kind: 'compare_failed', trajectory, problem: messageOf(error), goldSql };
        }
      }
      case 'schema':
        return { ...request, tables: await replayer.schema(request.trajectory, signal) };
      case 'check':
        return await this.#check(replayer, request.trajectory, signal);
      case 'try_query':
        return {
          kind: 'try_query',
          ran: await replayer.runQuery(request.trajectory, request.sql, signal),
        };
      case 'try_answer': {
        const { trajectory, sql } = request;
        return {
          kind: 'try_answer',
          comparison: await replayer.compareAnswer(trajectory, signal, sql),
        };
      }
      case 'fork_open': {
        const fork = await replayer.fork(request.trajectory, request.stepIndex, signal);
        this.#forkCount += 1;
        this.#forks.set(this.#forkCount, fork);
        return { kind: 'fork_open', forkId: this.#forkCount, fork: factsOf(fork) };
      }
      case 'fork_run': {
        const fork = this.#fork(request.forkId);
        await takeStep(fork, request.input, request.text, signal);
        return { kind: 'fork_run', fork: factsOf(fork) };
      }
      case 'fork_save': {
        const fork = this.#fork(request.forkId);
        const episodeId = await fork.save(this.#options.forkFile);
        return { kind: 'fork_save', episodeId, fork: factsOf(fork) };
      }
    }
  }

  async #check(
    replayer: Replayer,
    trajectory: Trajectory,
    signal: AbortSignal,
  ): Promise<TaskResult> {
    const check = await replayer.check(trajectory, signal);
    const summary = this.#library.episodes.find(
      ({ episodeId }) => episodeId === trajectory.episode_id,
    );
    if (summary === undefined) return { kind: 'check', check, reasons: replayer.warnings };
    const { engine, server_version: serverVersion } = trajectory;
    const recorded = { sqliteVersion: engine.sqlite_version, engineSha256: engine.engine_sha256 };
    const reasons = possibleReasons({
      checked: [{ summary, check, engine: recorded, serverVersion }],
      engine: replayer.engine,
      serverVersion: replayer.serverVersion,
      catalogSha256: replayer.catalogSha256,
      warnings: replayer.warnings,
      problems: [],
    });
    return { kind: 'check', check, reasons };
  }

  async #search(
    terms: readonly TextTerm[],
    indices: readonly number[],
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<readonly number[]> {
    let left = indices;
    for (const { text, negated } of terms) {
      const found = await this.#library.searchText(text, left, signal, onProgress);
      const holds = new Set(found);
      left = left.filter((index) => holds.has(index) !== negated);
    }
    return left;
  }

  async #readAll(
    indices: readonly number[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Trajectory | string>> {
    const records = new Map<number, Trajectory | string>();
    for (const index of indices) {
      signal.throwIfAborted();
      try {
        records.set(index, await this.#library.read(index));
      } catch (error) {
        records.set(index, messageOf(error));
      }
    }
    return records;
  }

  #required(): Replayer {
    if (this.#replayer === undefined) {
      throw new Error(this.#options.replayerProblem ?? 'nothing can be run again here');
    }
    return this.#replayer;
  }

  #fork(forkId: number): ForkSession {
    const fork = this.#forks.get(forkId);
    if (fork === undefined) throw new Error('the fork is closed');
    return fork;
  }
}

/** What an error says, for the status line. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function takeStep(
  fork: ForkSession,
  input: ForkInput,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  switch (input) {
    case 'sql':
      await fork.runSql(text, signal);
      break;
    case 'answer':
      await fork.answer(text, signal);
      break;
    case 'turn':
      await fork.say(text, signal);
      break;
  }
}

function factsOf(fork: ForkSession): ForkFacts {
  return { trajectory: fork.trajectory, ended: fork.ended };
}

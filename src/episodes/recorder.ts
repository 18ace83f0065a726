import type { Trajectory } from '../../env/trajectory.ts';
import type { Log } from '../logger.ts';
import { AppendError, TrajectoryFiles, type OpenedFile } from './trajectory-file.ts';
import { trajectoryLine } from './trajectory-line.ts';

/** Where trajectories go. */
export interface EpisodeRecorder {
  /** Takes a trajectory. Never throws and never waits, whatever the disk does. */
  record(trajectory: Trajectory): void;
}

/** For `--no-record`. */
export const NO_RECORDER: EpisodeRecorder = { record: () => {} };

/** How a recorder works. */
export interface RecorderOptions {
  readonly folder: string;
  readonly fileBytesMax: number;
  readonly log: Log;
  /** Bytes of lines that may wait to be written; what comes on top is dropped and counted. Up to 512 more are no lines yet. */
  readonly pendingBytesMax?: number;
  /** How long it waits after a failed write, at first; each failure in a row doubles it, up to 30 s. */
  readonly retryMs?: number;
}

/** What a recorder has done. */
export interface RecorderStats {
  readonly recordedCount: number;
  /** Bytes of the lines that were written. */
  readonly recordedBytes: number;
  readonly pendingCount: number;
  /** Bytes that wait to be written. */
  readonly pendingBytes: number;
  /** Trajectories that were lost because too many were waiting. */
  readonly droppedCount: number;
  readonly errorCount: number;
  /** Lines without an end that were found, and skipped. */
  readonly tornLineCount: number;
}

const PENDING_BYTES_MAX = 64 * 1024 * 1024;
const BATCH_BYTES = 1024 * 1024;

/** How long trajectories are gathered before the first of them is written, milliseconds. */
const GATHER_MS = 50;

/** Trajectories that are kept as they came until they are written. */
const FRESH_COUNT_MAX = 512;

/** Trajectories that are made into lines at a time: all of a batch at once would hold up the calls that come meanwhile. */
const LINES_AT_ONCE = 32;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;

/**
 * Appends trajectories to files, one JSON object a line. Writing happens behind the episodes' back: they never wait for
 * the disk, and a disk that is full or gone costs memory up to a bound, then trajectories, but never an episode.
 */
export class TrajectoryRecorder implements EpisodeRecorder {
  readonly #files: TrajectoryFiles;
  readonly #log: Log;
  readonly #pendingBytesMax: number;
  readonly #retryMs: number;
  /** Not made into lines yet: whoever ends an episode does not wait for that. */
  #fresh: Trajectory[] = [];
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  #gatherTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #failuresInRow = 0;
  #closed = false;
  #recordedCount = 0;
  #recordedBytes = 0;
  #droppedCount = 0;
  #droppedInRow = 0;
  #errorCount = 0;
  #tornLineCount = 0;

  private constructor(files: TrajectoryFiles, options: RecorderOptions) {
    this.#files = files;
    this.#log = options.log;
    this.#pendingBytesMax = options.pendingBytesMax ?? PENDING_BYTES_MAX;
    this.#retryMs = options.retryMs ?? RETRY_MS;
  }

  /** Opens the folder and its last file. Throws what the file system throws: a wrong folder should stop the start. */
  static async open(options: RecorderOptions): Promise<TrajectoryRecorder> {
    const files = await TrajectoryFiles.find(options.folder, options.fileBytesMax);
    const recorder = new TrajectoryRecorder(files, options);
    recorder.#noteOpened(await files.open());
    return recorder;
  }

  record(trajectory: Trajectory): void {
    if (this.#closed) {
      this.#drop(trajectory.episode_id);
      return;
    }
    this.#fresh.push(trajectory);
    // While nothing can be written, what waits is soon counted to the byte.
    if (this.#retryTimer !== undefined) this.#makeLines(LINES_AT_ONCE);
    else if (this.#fresh.length > FRESH_COUNT_MAX) this.#makeLines(1);
    if (this.#retryTimer === undefined) this.#startWriting();
  }

  /** What it has done so far. */
  stats(): RecorderStats {
    return {
      recordedCount: this.#recordedCount,
      recordedBytes: this.#recordedBytes,
      pendingCount: this.#fresh.length + this.#pending.length,
      pendingBytes: this.#pendingBytes,
      droppedCount: this.#droppedCount,
      errorCount: this.#errorCount,
      tornLineCount: this.#tornLineCount,
    };
  }

  /** Writes what is waiting, once more even after failures, and syncs. Never throws; idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#gatherTimer);
    clearTimeout(this.#retryTimer);
    this.#gatherTimer = undefined;
    this.#retryTimer = undefined;
    await this.#writing;
    if (this.#isWaiting) await this.#writeAll();
    try {
      await this.#files.sync();
      await this.#files.close();
    } catch (error) {
      this.#log.error({ err: error }, 'the trajectory file could not be closed');
    }
    const count = this.#fresh.length + this.#pending.length;
    if (count > 0) this.#log.error({ count }, 'trajectories are lost: they were not written');
  }

  get #isWaiting(): boolean {
    return this.#fresh.length > 0 || this.#pending.length > 0;
  }

  /** Makes the oldest fresh trajectories into lines, and drops those for which there is no room. */
  #makeLines(count: number): void {
    for (const trajectory of this.#fresh.splice(0, count)) {
      const line = Buffer.from(`${trajectoryLine(trajectory)}\n`);
      if (this.#pendingBytes + line.length > this.#pendingBytesMax) {
        this.#drop(trajectory.episode_id);
        continue;
      }
      this.#pending.push(line);
      this.#pendingBytes += line.length;
    }
  }

  /** Starts writing in a moment, so that episodes that end together are written together, and after the last reply to them. */
  #startWriting(): void {
    if (this.#writing) return;
    this.#gatherTimer ??= setTimeout(() => {
      this.#gatherTimer = undefined;
      this.#writing ??= this.#writeAll().finally(() => {
        this.#writing = undefined;
        // A line may have come between the last look at the queue and here.
        if (this.#isWaiting && this.#retryTimer === undefined && !this.#closed)
          this.#startWriting();
      });
    }, GATHER_MS);
  }

  /** Writes until nothing waits or a write fails. */
  async #writeAll(): Promise<void> {
    while (this.#isWaiting) {
      try {
        if (this.#pending.length < LINES_AT_ONCE) this.#makeLines(LINES_AT_ONCE);
        if (this.#pending.length === 0) continue; // there was no room for any of them
        if (!this.#files.isOpen) this.#noteOpened(await this.#files.open());
        await this.#writeBatch();
        this.#noteSuccess();
      } catch (error) {
        await this.#noteFailure(error);
        return;
      }
    }
  }

  async #writeBatch(): Promise<void> {
    let bytes = this.#pending[0]?.length ?? 0;
    // A line that is larger than a file may be gets a file of its own.
    if (!this.#files.isEmpty && !this.#files.hasRoomFor(bytes)) {
      this.#noteOpened(await this.#files.rotate());
    }
    let count = 1;
    for (const line of this.#pending.slice(1)) {
      if (bytes + line.length > BATCH_BYTES || !this.#files.hasRoomFor(bytes + line.length)) break;
      bytes += line.length;
      count += 1;
    }
    const batch = this.#pending.slice(0, count);
    try {
      await this.#files.append(count === 1 && batch[0] ? batch[0] : Buffer.concat(batch));
      this.#take(count);
    } catch (error) {
      if (error instanceof AppendError) this.#take(wholeLineCount(batch, error.writtenBytes));
      throw error;
    }
  }

  /** Forgets the first lines: they are in the file. */
  #take(count: number): void {
    for (const line of this.#pending.splice(0, count)) {
      this.#pendingBytes -= line.length;
      this.#recordedBytes += line.length;
    }
    this.#recordedCount += count;
  }

  #noteOpened(opened: OpenedFile): void {
    if (!opened.torn) return;
    this.#tornLineCount += 1;
    this.#log.warn({ file: opened.name }, 'the last line of the trajectory file is torn; skip it');
  }

  #noteSuccess(): void {
    if (this.#failuresInRow === 0 && this.#droppedInRow === 0) return;
    this.#log.info({ droppedCount: this.#droppedInRow }, 'trajectories are written again');
    this.#failuresInRow = 0;
    this.#droppedInRow = 0;
  }

  async #noteFailure(error: unknown): Promise<void> {
    this.#errorCount += 1;
    this.#failuresInRow += 1;
    if (this.#failuresInRow === 1) {
      this.#log.error({ err: error }, 'trajectories cannot be written; episodes go on, retrying');
    }
    // Opened afresh next time: the folder may have been moved, and a line that was cut must get its end.
    await this.#files.close().catch(() => {});
    if (this.#closed) return;
    const wait = Math.min(this.#retryMs * 2 ** (this.#failuresInRow - 1), RETRY_MS_MAX);
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#startWriting();
    }, wait).unref();
  }

  #drop(episodeId: string): void {
    this.#droppedCount += 1;
    this.#droppedInRow += 1;
    if (this.#droppedInRow > 1) return;
    this.#log.error({ episodeId }, 'a trajectory is dropped: too many are waiting to be written');
  }
}

function wholeLineCount(lines: readonly Buffer[], bytes: number): number {
  let end = 0;
  return lines.filter((line) => (end += line.length) <= bytes).length;
}

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import { hasSummary, SharedTexts, summaryOf } from './episode-summary.ts';
import { reasonOf, type RecordFile } from './find-records.ts';
import type { EpisodeSummary } from './ports.ts';
import { LINE_BYTES_MAX, LineSplitter, type RecordLine } from './record-lines.ts';
import { RecordPlaces, type RecordPlace, type RecordSource } from './record-places.ts';
import { Spool } from './spool.ts';
import { checkTrajectory } from './trajectory-schema.ts';

/** Bytes that are read at a time. */
const CHUNK_BYTES = 256 * 1024;
/** Problems of one file that are named one by one; the others are counted. */
const PROBLEM_COUNT_MAX = 100;
/** About 0.5 kB of memory each. */
const EPISODE_COUNT_MAX = 2_000_000;

/** What one file has given so far. */
interface FileProgress {
  readonly source: RecordSource;
  /** Where its text starts in the source. */
  readonly base: number;
  readonly problems: InputProblem[];
  episodeCount: number;
  problemCount: number;
}

/** Goes through files line by line and keeps a summary and a place of each record. */
export class RecordIndex {
  readonly episodes: EpisodeSummary[] = [];
  readonly problems: InputProblem[] = [];
  readonly places = new RecordPlaces();
  readonly #texts = new SharedTexts();
  readonly #forks: { readonly summary: EpisodeSummary; readonly place: RecordPlace }[] = [];
  #spool: Spool | undefined;

  /** Holds the texts of compressed files; undefined if there were none. */
  get spool(): Spool | undefined {
    return this.#spool;
  }

  /**
   * Reads a file. What is wrong with it or its lines becomes a problem; rejects only when the signal fires. `onBytes` gets the
   * bytes of the file that have been read so far.
   */
  async addFile(
    file: RecordFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      if (file.compressed) await this.#addCompressed(file, onBytes, signal);
      else await this.#addPlain(file, onBytes, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof InputError) throw error;
      this.problems.push({ location: file.path, message: reasonOf(error) });
    }
  }

  /** Puts the forks behind all others, once all files are read: a fork that is saved must not give other episodes new numbers. */
  finish(): void {
    for (const { summary, place } of this.#forks.splice(0)) {
      this.episodes.push({ ...summary, index: this.episodes.length });
      this.places.add(place);
    }
  }

  async #addPlain(
    file: RecordFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const progress = this.#begin({ path: file.path }, 0);
    const splitter = new LineSplitter((line) => this.#addLine(progress, line));
    const handle = await open(file.path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let offset = 0; ;) {
        signal?.throwIfAborted();
        const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, offset);
        if (bytesRead === 0) break;
        splitter.push(buffer.subarray(0, bytesRead));
        offset += bytesRead;
        onBytes(offset);
      }
      splitter.end();
    } finally {
      await handle.close();
      this.#finish(progress);
    }
  }

  async #addCompressed(
    file: RecordFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const spool = (this.#spool ??= await Spool.create());
    const progress = this.#begin({ path: file.path, spool }, spool.size);
    const splitter = new LineSplitter((line) => this.#addLine(progress, line));
    const input = createReadStream(file.path, { highWaterMark: CHUNK_BYTES });
    // Each chunk is kept in the same tick that it is given in: of a file that is cut off, all that it holds is had.
    const sink = new Writable({
      write: (chunk: Buffer, _, callback) => {
        try {
          spool.append(chunk);
          splitter.push(chunk);
          onBytes(input.bytesRead);
          callback();
        } catch (error) {
          callback(error as Error);
        }
      },
    });
    try {
      const options = signal === undefined ? {} : { signal };
      await pipeline(input, createGunzip({ chunkSize: CHUNK_BYTES }), sink, options);
      splitter.end();
    } catch (error) {
      signal?.throwIfAborted();
      this.problems.push({ location: file.path, message: compressedReason(error, progress) });
    } finally {
      this.#finish(progress);
    }
  }

  #begin(source: RecordSource, base: number): FileProgress {
    return { source, base, problems: [], episodeCount: 0, problemCount: 0 };
  }

  #addLine(file: FileProgress, line: RecordLine): void {
    const { bytes } = line;
    if (bytes === undefined) {
      this.#note(file, line, `the line is longer than ${LINE_BYTES_MAX / 2 ** 20} MB`);
    } else if (!isUtf8(bytes)) {
      this.#note(file, line, 'it is not valid UTF-8');
    } else if (bytes.length > 0) {
      const text = bytes.toString('utf8');
      if (text.trim() !== '') this.#addText(file, line, bytes.length, text);
    }
  }

  #addText(file: FileProgress, line: RecordLine, size: number, text: string): void {
    let value: unknown;
    try {
      // The strings of what it gives are copies: none of them keeps the line in memory.
      value = JSON.parse(text);
    } catch (error) {
      const torn = 'the last line is torn: whoever wrote it was killed, or is still writing';
      const broken = `it is not JSON (${(error as Error).message.slice(0, 120)})`;
      this.#note(file, line, line.ended ? broken : torn);
      return;
    }
    if (!hasSummary(value)) {
      const checked = checkTrajectory(value);
      const message = checked.kind === 'problem' ? checked.message : 'it is no trajectory';
      this.#note(file, line, message);
      return;
    }
    const index = this.episodes.length;
    if (index + this.#forks.length >= EPISODE_COUNT_MAX) {
      throw new InputError(
        `${file.source.path}: there are more than ${EPISODE_COUNT_MAX} episodes; open fewer files at a time`,
      );
    }
    const { source, base } = file;
    const summary = summaryOf(value, index, this.#texts);
    const place = { source, offset: base + line.offset, size, lineNumber: line.lineNumber };
    if (summary.parentId === undefined) {
      this.episodes.push(summary);
      this.places.add(place);
    } else this.#forks.push({ summary, place });
    file.episodeCount += 1;
  }

  #note(file: FileProgress, line: RecordLine, message: string): void {
    file.problemCount += 1;
    if (file.problems.length >= PROBLEM_COUNT_MAX) return;
    file.problems.push({ location: `${file.source.path}:${line.lineNumber}`, message });
  }

  /** Of a file that holds no trajectory at all, such as a file of tasks, the first line says enough. */
  #finish({ source, problems, problemCount, episodeCount }: FileProgress): void {
    const [first] = problems;
    if (first !== undefined && episodeCount === 0 && problemCount > 1) {
      const message = `${first.message}; none of its ${problemCount} lines is a trajectory`;
      this.problems.push({ location: first.location, message });
      return;
    }
    this.problems.push(...problems);
    const rest = problemCount - problems.length;
    if (rest === 0) return;
    const message = `${rest} more ${rest === 1 ? 'line' : 'lines'} can't be read`;
    this.problems.push({ location: source.path, message });
  }
}

function compressedReason(error: unknown, { episodeCount }: FileProgress): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const there = episodeCount === 1 ? '1 episode' : `${episodeCount} episodes`;
  if (code === 'Z_BUF_ERROR')
    return `the compressed file is cut off; ${there} before that are there`;
  if (code?.startsWith('Z_') === true) {
    return `the compressed file is damaged (${message}); ${there} before that are there`;
  }
  if (code === 'ENOSPC') return `there is no space to decompress it (ENOSPC); set TMPDIR`;
  return reasonOf(error);
}

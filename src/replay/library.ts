import { isUtf8 } from 'node:buffer';
import type { Trajectory } from '../../env/trajectory.ts';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import type { SearchedText } from './filter-terms.ts';
import { findRecordFiles, reasonOf } from './find-records.ts';
import { RecordIndex } from './index-records.ts';
import type { EpisodeLibrary, EpisodeSummary } from './ports.ts';
import { readFully, withSource, type RecordPlace } from './record-places.ts';
import { lineTest, readRun } from './search-records.ts';
import { readTrajectory } from './trajectory-schema.ts';

/** How a library is opened. */
export interface LibraryOptions {
  /** Bytes of the files that have been read, of all. */
  readonly onProgress?: (bytes: number, totalBytes: number) => void;
  /** Stops the opening, which rejects with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Opens trajectory files, and folders of them, compressed ones too. What can't be read is among the problems, and everything
 * else is there all the same, perhaps nothing. Rejects with the signal's reason, or with {@link InputError} if there are too
 * many episodes.
 */
export async function openLibrary(
  paths: readonly string[],
  options: LibraryOptions = {},
): Promise<EpisodeLibrary> {
  const { onProgress, signal } = options;
  const { files, problems } = await findRecordFiles(paths);
  const totalBytes = files.reduce((sum, file) => sum + file.size, 0);
  const index = new RecordIndex();
  let earlierBytes = 0;
  try {
    for (const file of files) {
      // A file that is being written grows; what is shown must not pass its end.
      const report = (bytes: number): void =>
        onProgress?.(earlierBytes + Math.min(bytes, file.size), totalBytes);
      await index.addFile(file, report, signal);
      earlierBytes += file.size;
    }
    index.finish();
  } catch (error) {
    await index.spool?.close();
    throw error;
  }
  onProgress?.(totalBytes, totalBytes);
  return new FileLibrary(index, [...problems, ...index.problems]);
}

/** A library over files: summaries in memory, records on the disk. */
class FileLibrary implements EpisodeLibrary {
  readonly episodes: readonly EpisodeSummary[];
  readonly problems: readonly InputProblem[];
  readonly #places: RecordIndex['places'];
  readonly #spool: RecordIndex['spool'];
  #closed = false;

  constructor(index: RecordIndex, problems: readonly InputProblem[]) {
    this.episodes = index.episodes;
    this.problems = problems;
    this.#places = index.places;
    this.#spool = index.spool;
  }

  async read(index: number): Promise<Trajectory> {
    const place = this.#placeOf(index);
    const { source, offset, size } = place;
    const line = await this.#attempt(place, () =>
      withSource(source, (handle) => readFully(handle, Buffer.allocUnsafe(size), offset)),
    );
    const location = locationOf(place);
    if (line.length < size || !isUtf8(line)) throw changed(location);
    const read = readTrajectory(line.toString('utf8'));
    if (read.kind === 'problem') throw new InputError(`${location}: ${read.message}`);
    if (read.trajectory.episode_id !== this.episodes[index]?.episodeId) throw changed(location);
    return read.trajectory;
  }

  async searchText(
    text: SearchedText,
    indices: readonly number[],
    signal: AbortSignal,
    onProgress?: (count: number, totalCount: number) => void,
  ): Promise<number[]> {
    const isHit = lineTest(text);
    // Typed arrays and no objects of each: a search must not take more memory than the library.
    const hits = new Uint8Array(this.episodes.length);
    const sorted = Uint32Array.from(indices).toSorted();
    let count = 0;
    const look = (line: Buffer, index: number, place: RecordPlace): void => {
      if (line.length < place.size) throw changed(locationOf(place));
      hits[index] = Number(isHit(line));
      count += 1;
      if (count % 1_000 === 0) onProgress?.(count, sorted.length);
    };
    for (let position = 0; position < sorted.length;) {
      const place = this.#placeOf(sorted[position] ?? 0);
      const run = (): Promise<number> => readRun(this.#places, sorted, position, signal, look);
      position = await this.#attempt(place, run, signal);
    }
    onProgress?.(sorted.length, sorted.length);
    return indices.filter((index) => hits[index] === 1);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#spool?.close();
  }

  #placeOf(index: number): RecordPlace {
    const place = this.#places.at(index);
    if (place === undefined) throw new InputError(`there is no episode with the index ${index}`);
    return place;
  }

  async #attempt<T>(
    { source }: RecordPlace,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (this.#closed) throw new InputError('the records have been closed');
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SyntaxError) throw changed(source.path);
      const { code } = error as NodeJS.ErrnoException;
      if (typeof code !== 'string' || error instanceof InputError) throw error;
      throw new InputError(`${source.path}: ${reasonOf(error)}`);
    }
  }
}

function locationOf({ source, lineNumber }: RecordPlace): string {
  return `${source.path}:${lineNumber}`;
}

function changed(location: string): InputError {
  return new InputError(`${location}: the file has changed since it was opened`);
}

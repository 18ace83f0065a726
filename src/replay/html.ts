import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { VERSION } from '../package-root.ts';
import { openAtomicFile, type AtomicFile } from './atomic-file.ts';
import { PAGE_LIMITS, packSummaries, type PageHead } from './page-data.ts';
import { pageEpisodes, type PageEpisodes } from './page-episode.ts';
import { dataBlock, pageFrame } from './page-frame.ts';
import type { EpisodeLibrary, EpisodeSummary, Replayer } from './ports.ts';

const zip = promisify(gzip);

/** What goes into a page, and where it goes. */
export interface HtmlOptions {
  readonly library: EpisodeLibrary;
  /** Plays answers and queries again, for the row by row comparisons; undefined writes the records alone. */
  readonly replayer: Replayer | undefined;
  /** Episodes of the library, in the order of the page. */
  readonly indices: readonly number[];
  /** The file; one that is there is replaced once the page is whole. */
  readonly out: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (count: number, totalCount: number) => void;
}

/**
 * Writes one self-contained page: the program, all episodes as gzip chunks, and what the replayer adds. Memory is bounded
 * by a chunk and the summaries. Rejects with `InputError` if the file can't be written or an episode can't be read, and
 * with the signal's reason if it is aborted; then no file is left behind.
 */
export async function writeHtml(options: HtmlOptions): Promise<{ byteCount: number }> {
  const { library, indices, out, signal } = options;
  signal.throwIfAborted();
  const frame = pageFrame(`sqlenv replay: ${indices.length} episodes`);
  const file = await openAtomicFile(out);
  try {
    const summaries = indices.flatMap((index) => library.episodes[index] ?? []);
    await file.write(frame.start);
    await file.write(await packed({ id: 'page-head' }, JSON.stringify(headOf(options, summaries))));
    await file.write(frame.script);
    const episodes = pageEpisodes(options.replayer);
    await writeChunks(file, episodes, options);
    await file.write(await packed({ id: 'page-tail' }, JSON.stringify(episodes.tail())));
    await file.write(frame.end);
    return { byteCount: await file.commit() };
  } finally {
    await file.discard();
  }
}

function headOf({ library }: HtmlOptions, summaries: readonly EpisodeSummary[]): PageHead {
  return {
    sqlenvVersion: VERSION,
    problems: library.problems.slice(0, PAGE_LIMITS.problemCountMax),
    problemCount: library.problems.length,
    summaries: packSummaries(summaries),
  };
}

async function writeChunks(
  file: AtomicFile,
  episodes: PageEpisodes,
  { library, indices, signal, onProgress }: HtmlOptions,
): Promise<void> {
  let lines: string[] = [];
  let [first, size] = [0, 0];
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const attributes = { 'data-first': first, 'data-count': lines.length };
    await file.write(await packed(attributes, lines.join('\n')));
    first += lines.length;
    [lines, size] = [[], 0];
  };
  for (const [count, index] of indices.entries()) {
    signal.throwIfAborted();
    // A line of JSON holds no newline, and lone surrogates only as escapes, so that UTF-8 loses nothing.
    const line = JSON.stringify(await episodes.make(await library.read(index), signal));
    lines.push(line);
    size += line.length;
    if (lines.length >= PAGE_LIMITS.chunkEpisodeCountMax || size >= PAGE_LIMITS.chunkSizeMax) {
      await flush();
    }
    onProgress?.(count + 1, indices.length);
  }
  await flush();
}

async function packed(
  attributes: Readonly<Record<string, string | number>>,
  text: string,
): Promise<string> {
  return dataBlock(attributes, (await zip(text)).toString('base64'));
}

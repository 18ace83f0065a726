import type { SearchedText } from '../filter.ts';
import { unpackSummaries, type PageEpisode, type PageHead, type PageTail } from '../page-data.ts';
import type { EpisodeSummary } from '../ports.ts';
import { recordHolds } from '../record-holds.ts';

/** The data of this page. */
export interface PageFile {
  readonly head: Omit<PageHead, 'summaries'>;
  readonly episodes: readonly EpisodeSummary[];
  /** Reads one episode by its place. Rejects with an `Error` if the page is damaged. */
  read(index: number): Promise<PageEpisode>;
  /** Of these episodes, those whose record holds the text (case ignored); looks through all chunks in the background. */
  searchText(
    text: SearchedText,
    indices: readonly number[],
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<number[]>;
  tail(): Promise<PageTail>;
}

/** Chunks that stay unpacked: those of neighbours in the list, and of the rollouts of a group. */
const CHUNK_COUNT_MAX = 6;

interface Chunk {
  readonly first: number;
  readonly count: number;
  readonly element: Element;
}

/** Opens the data of this page. Rejects with an `Error` that says what is wrong with it. */
export async function openPageFile(): Promise<PageFile> {
  if (typeof DecompressionStream !== 'function') {
    throw new Error('this browser is too old: it has no DecompressionStream (2023 and later have)');
  }
  const { summaries, ...head } = await readBlock<PageHead>('page-head');
  const episodes = unpackSummaries(summaries);
  const chunkLines = chunkReader();
  let tail: Promise<PageTail> | undefined;
  return {
    head,
    episodes,
    read: async (index) => {
      const chunk = chunkOf(await allChunks(), index);
      const line = chunk && (await chunkLines(chunk))[index - chunk.first];
      if (line === undefined) throw new Error(`the page is damaged: no record ${index}`);
      return JSON.parse(line) as PageEpisode;
    },
    searchText: async (text, indices, signal, onProgress) => {
      const matches = lineMatcher(text);
      const found: number[] = [];
      const wanted = new Set(indices);
      const chunks = await allChunks();
      for (const [place, chunk] of chunks.entries()) {
        signal.throwIfAborted();
        if (indices.length < episodes.length && !holdsAny(chunk, wanted)) continue;
        // Not through the cache: a search would push out what is being looked at.
        const lines = await unpackChunk(chunk);
        for (const [offset, line] of lines.entries()) {
          const index = chunk.first + offset;
          if (wanted.has(index) && matches(line)) found.push(index);
        }
        onProgress((place + 1) / chunks.length);
        await nextTask();
      }
      const isFound = new Set(found);
      return indices.filter((index) => isFound.has(index));
    },
    tail: () => (tail ??= wholePage().then(() => readBlock<PageTail>('page-tail'))),
  };
}

/** The filter's rule for records. Most lines are ruled out by their text, without being read as JSON. */
function lineMatcher(text: SearchedText): (line: string) => boolean {
  const needle = JSON.stringify(text.words).slice(1, -1).toLowerCase();
  return (line) =>
    line.toLowerCase().includes(needle) &&
    recordHolds((JSON.parse(line) as PageEpisode).trajectory, text);
}

function holdsAny({ first, count }: Chunk, wanted: ReadonlySet<number>): boolean {
  for (let index = first; index < first + count; index += 1) if (wanted.has(index)) return true;
  return false;
}

function chunkReader(): (chunk: Chunk) => Promise<readonly string[]> {
  const unpacked = new Map<number, Promise<readonly string[]>>();
  return (chunk) => {
    const lines = unpacked.get(chunk.first) ?? unpackChunk(chunk);
    // Set anew, so that the order of the map is that of the last use.
    unpacked.delete(chunk.first);
    unpacked.set(chunk.first, lines);
    for (const oldest of unpacked.keys()) {
      if (unpacked.size <= CHUNK_COUNT_MAX) break;
      unpacked.delete(oldest);
    }
    return lines;
  };
}

async function unpackChunk({ element }: Chunk): Promise<readonly string[]> {
  return (await unpack(element.textContent ?? '')).split('\n');
}

let chunksFound: Promise<readonly Chunk[]> | undefined;

function allChunks(): Promise<readonly Chunk[]> {
  return (chunksFound ??= wholePage().then(() =>
    [...document.querySelectorAll('script[data-first]')].map((element) => ({
      first: Number(element.getAttribute('data-first')),
      count: Number(element.getAttribute('data-count')),
      element,
    })),
  ));
}

function chunkOf(chunks: readonly Chunk[], index: number): Chunk | undefined {
  let [low, high] = [0, chunks.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const chunk = chunks[middle];
    if (chunk === undefined) return undefined;
    if (index < chunk.first) high = middle - 1;
    else if (index >= chunk.first + chunk.count) low = middle + 1;
    else return chunk;
  }
  return undefined;
}

/** The program runs before the chunks are read; on a big page that takes seconds in which the list is there already. */
function wholePage(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', () => resolve(), { once: true });
  });
}

async function readBlock<Block>(id: string): Promise<Block> {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page is damaged: its block '${id}' is missing`);
  return JSON.parse(await unpack(element.textContent ?? '')) as Block;
}

async function unpack(base64: string): Promise<string> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return await new Response(stream).text();
}

/** Lets the browser paint and take keys between two pieces of work. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => resolve(), { once: true });
    port1.start();
    port2.postMessage(undefined);
  });
}

import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { ConfigError } from '../config.ts';
import { parseFilter, type EpisodeFilter } from '../replay/filter.ts';
import { findEpisodes } from '../replay/find-episodes.ts';
import { findRecordFiles } from '../replay/find-records.ts';
import { openLibrary } from '../replay/library.ts';
import type { EpisodeLibrary, EpisodeSummary, ReplaySource } from '../replay/ports.ts';
import { openTerminalEarly, type Opening } from '../replay/terminal/opening.ts';
import { InputError } from '../tasks/task-set.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { threadCount } from './evaluation-executor.ts';
import { wholeNumber } from './numbers.ts';
import { problemLines } from './problem-lines.ts';
import { showProgress } from './progress.ts';
import { ReplayCatalogs } from './replay-catalogs.ts';
import { checkTerminal, replayMode, type ReplayMode } from './replay-mode.ts';
import { noEpisodeText } from './no-episode.ts';
import { replayerOf, type ReplayRun } from './replay-run.ts';
import type { ReplayFlags } from './replay.ts';

/** As a shell reports a process that SIGINT has ended. */
const EXIT_INTERRUPTED = 130;

const CONCURRENCY = '8';

const NO_EPISODES = 'there are no episodes to replay';

/** Shows or plays recorded episodes; gives the exit code. */
export async function runReplay(paths: readonly string[], flags: ReplayFlags): Promise<number> {
  const mode = replayMode(flags);
  const threads = threadCount(flags.threads);
  const concurrency = wholeNumber('--concurrency', flags.concurrency ?? CONCURRENCY, 1, 1_024);
  const filter = filterOf(flags.filter ?? '');
  if (mode === 'terminal') await checkStart(paths);
  const abort = new AbortController();
  setMaxListeners(0, abort.signal); // every query of every episode listens to it
  const interrupt = (): void => abort.abort();
  // A full-screen program reads Ctrl-C itself; a second one ends whatever still runs.
  if (mode !== 'terminal') process.once('SIGINT', interrupt);
  const opening =
    mode === 'terminal' ? openTerminalEarly('opening the records ...', interrupt) : undefined;
  let library: EpisodeLibrary | undefined;
  try {
    library = await openRecords(paths, abort.signal, opening === undefined);
    const openSource = (): Promise<ReplaySource> => openReplaySource(paths, flags, threads);
    const run = { flags, library, signal: abort.signal, concurrency, openSource };
    if (mode === 'terminal') {
      return await runTerminalMode({ ...run, episodes: [] }, paths, opening);
    }
    const episodes = await filtered(library, filter, abort.signal);
    if (episodes.length === 0) sayThatNonePasses(mode, noEpisodeText(library.episodes, filter));
    const exitCode = await runMode(mode, { ...run, episodes });
    // Whatever it was: it was without the lines that can't be read.
    return exitCode === EXIT_OK && library.problems.length > 0 ? EXIT_PROBLEMS : exitCode;
  } catch (error) {
    if (abort.signal.aborted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    opening?.leave();
    process.off('SIGINT', interrupt);
    await library?.close();
  }
}

async function runMode(mode: Exclude<ReplayMode, 'terminal'>, run: ReplayRun): Promise<number> {
  switch (mode) {
    case 'check':
      return await (await import('./run-replay-check.ts')).runReplayCheck(run);
    case 'rescore':
      return await (await import('./run-replay-rescore.ts')).runReplayRescore(run);
    case 'print':
      return await (await import('./run-replay-print.ts')).runReplayPrint(run);
    case 'list':
      return await (await import('./run-replay-list.ts')).runReplayList(run);
    case 'html':
      return await (await import('./run-replay-html.ts')).runReplayHtml(run);
  }
}

/** What is wrong with the paths is said before that there is no terminal: it is wrong on a terminal, too. */
async function checkStart(paths: readonly string[]): Promise<void> {
  const { files, problems } = await findRecordFiles(paths);
  if (files.length === 0) throw new InputError(NO_EPISODES, problems);
  checkTerminal();
}

/** Nothing that was checked is not clean; an empty list is what was asked for. Throws {@link InputError}. */
function sayThatNonePasses(mode: ReplayMode, text: string): void {
  if (mode !== 'list') throw new InputError(text);
  process.stderr.write(`sqlenv: ${text}\n`);
}

async function runTerminalMode(
  run: ReplayRun,
  paths: readonly string[],
  opening: Opening | undefined,
): Promise<number> {
  const { runTerminal } = await import('../replay/terminal/run-terminal.tsx');
  run.signal.throwIfAborted();
  const replayer = replayerOf(run);
  try {
    const forkFile = run.flags.forks ?? path.join(await firstFolder(paths), 'forks.jsonl');
    return await runTerminal(
      {
        library: run.library,
        replayer,
        replayerProblem: undefined,
        forkFile,
        filter: run.flags.filter ?? '',
      },
      opening,
    );
  } finally {
    await replayer.stop();
  }
}

function filterOf(text: string): EpisodeFilter {
  const parsed = parseFilter(text);
  if (parsed.kind === 'filter') return parsed.filter;
  throw new ConfigError([`--filter: at character ${parsed.offset + 1}: ${parsed.message}`]);
}

async function openRecords(
  paths: readonly string[],
  signal: AbortSignal,
  showsProgress: boolean,
): Promise<EpisodeLibrary> {
  const progress = showsProgress ? showProgress('reading') : undefined;
  try {
    return await openLibrary(paths, { ...(progress && { onProgress: progress.update }), signal });
  } finally {
    progress?.stop();
  }
}

/** Tells what can't be read. Throws {@link InputError} if there is nothing to work on. */
async function filtered(
  library: EpisodeLibrary,
  filter: EpisodeFilter,
  signal: AbortSignal,
): Promise<readonly EpisodeSummary[]> {
  const { episodes, problems } = library;
  if (episodes.length === 0) throw new InputError(NO_EPISODES, problems);
  if (problems.length > 0) {
    const count = problems.length === 1 ? '1 line or file' : `${problems.length} lines or files`;
    process.stderr.write(`sqlenv: ${count} can't be read\n`);
    for (const line of problemLines(problems)) process.stderr.write(`  ${line}\n`);
  }
  const progress = showProgress('filtering');
  try {
    return await findEpisodes(library, filter, signal, progress.update);
  } finally {
    progress.stop();
  }
}

async function openReplaySource(
  paths: readonly string[],
  flags: ReplayFlags,
  threads: number,
): Promise<ReplaySource> {
  if (flags.server !== undefined) {
    const { connectServer } = await import('../replay/server-environment.ts');
    return await connectServer(flags.server);
  }
  const { openLocalSource } = await import('./replay-environment.ts');
  return await openLocalSource(new ReplayCatalogs(await foldersOf(paths), flags), threads);
}

async function foldersOf(paths: readonly string[]): Promise<string[]> {
  const { files } = await findRecordFiles(paths);
  return [...new Set(files.map((file) => path.dirname(file.path)))];
}

async function firstFolder(paths: readonly string[]): Promise<string> {
  const [folder = '.'] = await foldersOf(paths);
  return folder;
}

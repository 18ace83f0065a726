import { concurrently } from '../evaluate/concurrently.ts';
import type { EpisodeSummary } from '../replay/ports.ts';
import { printable } from '../replay/printable.ts';
import { comparisonModeOf } from '../replay/recorded-requests.ts';
import { createReplayer, type EpisodeReplayer } from '../replay/replayer.ts';
import {
  isComplete,
  jsonRescore,
  textRescore,
  type RescoredEpisode,
} from '../replay/rescore-report.ts';
import { InputError } from '../tasks/task-set.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { printText } from './print.ts';
import { showProgress } from './progress.ts';
import type { ReplayRun } from './replay-run.ts';

/** Scores recorded answers under another mode; gives the exit code. */
export async function runReplayRescore(run: ReplayRun): Promise<number> {
  const { episodes, flags, library, concurrency } = run;
  const mode = comparisonModeOf(flags.rescore ?? '');
  const graded = episodes.filter(({ verdict }) => verdict !== '');
  if (graded.length === 0) throw new InputError('none of the episodes has a graded answer');
  const source = await run.openSource();
  const progress = showProgress('scoring');
  let finishedCount = 0;
  try {
    const replayer = createReplayer(source);
    const rescored = await concurrently(graded, concurrency, async (summary) => {
      const scored = await rescoreOne(run, replayer, summary, mode);
      finishedCount += 1;
      progress.update(finishedCount, graded.length);
      return scored;
    });
    progress.stop();
    const { problems } = library;
    const report = { mode, rescored, ungradedCount: episodes.length - graded.length, problems };
    printText(
      flags.json === true
        ? `${JSON.stringify(jsonRescore(report), undefined, 2)}\n`
        : printable(textRescore(report)),
    );
    return isComplete(report) ? EXIT_OK : EXIT_PROBLEMS;
  } finally {
    progress.stop();
    await source.stop();
  }
}

async function rescoreOne(
  { library, signal }: ReplayRun,
  replayer: EpisodeReplayer,
  summary: EpisodeSummary,
  mode: Parameters<EpisodeReplayer['rescore']>[1],
): Promise<RescoredEpisode> {
  const { verdict, reward = 0 } = summary;
  const recorded = { verdict, reward };
  try {
    const trajectory = await library.read(summary.index);
    return { summary, recorded, outcome: await replayer.rescore(trajectory, mode, signal) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { summary, recorded, outcome: error.message };
  }
}

import { concurrently } from '../evaluate/concurrently.ts';
import {
  isClean,
  jsonCheck,
  textCheck,
  type CheckedEpisode,
  type CheckReport,
} from '../replay/check-report.ts';
import type { EpisodeCheck, EpisodeSummary, Replayer } from '../replay/ports.ts';
import { printable } from '../replay/printable.ts';
import { createReplayer } from '../replay/replayer.ts';
import { InputError } from '../tasks/task-set.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { printText } from './print.ts';
import { showProgress } from './progress.ts';
import type { ReplayRun } from './replay-run.ts';

/** Characters of one text that are kept of a difference. */
const TEXT_SIZE_MAX = 50_000;

/** Episodes whose differences are kept whole, up to the size; of the others the first difference is, in short. */
const WHOLE_EPISODE_COUNT_MAX = 500;
const SHORT_SIZE_MAX = 200;

/** Plays the episodes again and compares; gives the exit code. */
export async function runReplayCheck(run: ReplayRun): Promise<number> {
  const { episodes, flags, library, concurrency } = run;
  const source = await run.openSource();
  const progress = showProgress('checking');
  let [finishedCount, differentCount] = [0, 0];
  try {
    const replayer = createReplayer(source);
    const checked = await concurrently(episodes, concurrency, async (summary) => {
      const found = await checkOne(run, replayer, summary);
      if (found.check.kind === 'different') differentCount += 1;
      finishedCount += 1;
      progress.update(finishedCount, episodes.length);
      return { ...found, check: bounded(found.check, differentCount) };
    });
    const { engine, serverVersion, catalogSha256, warnings } = source;
    const { problems } = library;
    const facts = { engine, serverVersion, catalogSha256, warnings, problems };
    const report: CheckReport = { ...facts, checked };
    progress.stop();
    printText(
      flags.json === true
        ? `${JSON.stringify(jsonCheck(report), undefined, 2)}\n`
        : printable(textCheck(report)),
    );
    return isClean(report) ? EXIT_OK : EXIT_PROBLEMS;
  } finally {
    progress.stop();
    await source.stop();
  }
}

async function checkOne(
  { library, signal }: ReplayRun,
  replayer: Replayer,
  summary: EpisodeSummary,
): Promise<CheckedEpisode> {
  try {
    const trajectory = await library.read(summary.index);
    const { engine, server_version: serverVersion } = trajectory;
    return {
      summary,
      check: await replayer.check(trajectory, signal),
      engine: { sqliteVersion: engine.sqlite_version, engineSha256: engine.engine_sha256 },
      serverVersion,
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const check = { kind: 'unplayable', reason: error.message } as const;
    return { summary, check, engine: { sqliteVersion: '', engineSha256: '' }, serverVersion: '' };
  }
}

/** Many episodes that differ in large texts must not fill the memory. */
function bounded(check: EpisodeCheck, differentCount: number): EpisodeCheck {
  if (check.kind !== 'different') return check;
  const whole = differentCount <= WHOLE_EPISODE_COUNT_MAX;
  const sizeMax = whole ? TEXT_SIZE_MAX : SHORT_SIZE_MAX;
  const differences = whole ? check.differences : check.differences.slice(0, 1);
  const cut = (text: string): string =>
    text.length > sizeMax ? `${text.slice(0, sizeMax)}... (cut)` : text;
  return {
    ...check,
    differences: differences.map((difference) => ({
      ...difference,
      recorded: cut(difference.recorded),
      now: cut(difference.now),
    })),
  };
}

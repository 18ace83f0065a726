import { writeHtml } from '../replay/html.ts';
import { EXIT_OK } from './exit-codes.ts';
import { printText } from './print.ts';
import { showProgress } from './progress.ts';
import { replayerOf, type ReplayRun } from './replay-run.ts';
import { checkOutput } from './write-output.ts';

/** Writes the page; gives the exit code. */
export async function runReplayHtml(run: ReplayRun): Promise<number> {
  const { flags, library, episodes, signal } = run;
  const out = flags.html ?? '';
  checkOutput(out);
  const replayer = replayerOf(run);
  const progress = showProgress('writing');
  try {
    const { byteCount } = await writeHtml({
      library,
      replayer,
      indices: episodes.map(({ index }) => index),
      out,
      signal,
      onProgress: progress.update,
    });
    progress.stop();
    printText(`${out}: ${episodes.length} episodes, ${(byteCount / 1_048_576).toFixed(1)} MB\n`);
    for (const warning of replayer.warnings) process.stderr.write(`sqlenv: ${warning}\n`);
    return EXIT_OK;
  } finally {
    progress.stop();
    await replayer.stop();
  }
}

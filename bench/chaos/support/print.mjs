// What people see of a run.
import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import pc from 'picocolors';

const COLOURS = { kept: pc.green, broken: pc.red, skipped: pc.yellow, measured: pc.dim };

/** One scenario: a line, and a table of its promises. */
export function printScenario({ name, title, verdict, seconds, promises, figures, skipped }) {
  console.log(`\n${pc.bold(name)}: ${title} (${seconds} s)`);
  if (skipped !== undefined) {
    console.log(COLOURS.skipped(`skipped: ${skipped}`));
    return;
  }
  const width = Math.max(60, Math.min(process.stdout.columns ?? 140, 160));
  const table = new Table({
    head: ['promised', 'what happened', ''],
    colWidths: [Math.floor((width - 14) / 2), Math.floor((width - 14) / 2), 10],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const each of promises) {
    table.push([each.promised, each.happened, COLOURS[each.verdict](each.verdict)]);
  }
  console.log(table.toString());
  for (const [key, value] of Object.entries(figures)) console.log(pc.dim(`${key}: ${value}`));
  if (verdict === 'broken') console.log(COLOURS.broken(`${name}: a promise is broken`));
}

/** The closing line. */
export function printSummary(results) {
  const count = (verdict) => results.filter((each) => each.verdict === verdict).length;
  const parts = [`${count('kept')} kept`, `${count('broken')} broken`];
  if (count('skipped') > 0) parts.push(`${count('skipped')} skipped`);
  console.log(`\n${parts.join(', ')}`);
}

/** A bar on stderr while a long scenario runs; nothing unless a person is looking. */
export function progressBar(title) {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const format = `${title} {bar} {percentage}% {value}/{total} {eta_formatted} left`;
  const options = { format, hideCursor: true, clearOnComplete: true, stream: process.stderr };
  const bar = new SingleBar(options, Presets.shades_classic);
  let started = false;
  return {
    update: (count, totalCount) => {
      if (!started) bar.start(totalCount, count);
      started = true;
      bar.update(count);
    },
    stop: () => {
      if (started) bar.stop();
    },
  };
}

import { createTwoFilesPatch } from 'diff';
import type { EngineInfo } from '../episodes/ports.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import { counted } from './terminal/text/format.ts';
import type { EpisodeCheck, EpisodeSummary, ReplayDifference } from './ports.ts';

/** An episode that was checked. */
export interface CheckedEpisode {
  readonly summary: EpisodeSummary;
  readonly check: EpisodeCheck;
  /** Of the record: what decided its observations and rewards. */
  readonly engine: EngineInfo;
  readonly serverVersion: string;
}

/** All that was checked, and where. */
export interface CheckReport {
  readonly checked: readonly CheckedEpisode[];
  readonly engine: EngineInfo;
  readonly serverVersion: string;
  /** Of the server that played; undefined in this process. */
  readonly catalogSha256: string | undefined;
  readonly warnings: readonly string[];
  /** Lines and files that can't be read. */
  readonly problems: readonly InputProblem[];
}

/** Episodes that are shown with what differs; the rest is a count. */
const SHOWN_EPISODE_COUNT = 5;

/** Reasons that are listed one by one. */
const SHOWN_REASON_COUNT = 10;

/** Lines of one unified diff: a table that is another one altogether has as many as it has rows. */
const SHOWN_DIFF_LINE_COUNT = 40;

/** Whether all is as it was recorded. */
export function isClean(report: CheckReport): boolean {
  const clean = report.checked.every(
    ({ check }) => check.kind === 'same' && check.unchecked === undefined,
  );
  return clean && report.problems.length === 0;
}

/** The report for people: counts, then the first differences as unified diffs. */
export function textCheck(report: CheckReport): string {
  const { checked } = report;
  const different = checked.filter(({ check }) => check.kind === 'different');
  const lines = countLines(report);
  for (const { summary, check } of different.slice(0, SHOWN_EPISODE_COUNT)) {
    if (check.kind === 'different') lines.push('', ...differenceLines(summary, check.differences));
  }
  if (different.length > SHOWN_EPISODE_COUNT) {
    const more = different.slice(SHOWN_EPISODE_COUNT);
    const shown = more.slice(0, SHOWN_REASON_COUNT).map(({ summary }) => summary.episodeId);
    const rest = more.length > shown.length ? ', ...' : '';
    lines.push(
      '',
      `${counted(more.length, 'more episode')} differ${more.length === 1 ? 's' : ''}: ${shown.join(', ')}${rest}`,
    );
  }
  lines.push(...reasonLines('unplayable', reasonsOf(checked, unplayableReason)));
  lines.push(...reasonLines('rewards not checked', reasonsOf(checked, uncheckedReason)));
  const reasons = possibleReasons(report);
  if (different.length > 0 && reasons.length > 0) {
    lines.push('', 'Possible reasons:', ...reasons.map((reason) => `  ${reason}`));
  }
  return `${lines.join('\n')}\n`;
}

/** The report for programs. Episodes that are as recorded are only counted. */
export function jsonCheck(report: CheckReport): unknown {
  const { checked, engine, serverVersion } = report;
  return {
    episode_count: checked.length,
    same_count: countOf(checked, 'same'),
    different_count: countOf(checked, 'different'),
    unplayable_count: countOf(checked, 'unplayable'),
    reward_unchecked_count: checked.filter(({ check }) => uncheckedReason(check) !== undefined)
      .length,
    engine: { sqlite_version: engine.sqliteVersion, engine_sha256: engine.engineSha256 },
    server_version: serverVersion,
    possible_reasons: possibleReasons(report),
    problems: report.problems,
    episodes: checked.flatMap(({ summary, check }) => {
      if (check.kind === 'same' && check.unchecked === undefined) return [];
      const { episodeId, taskId, databaseId } = summary;
      const head = { episode_id: episodeId, task_id: taskId, database_id: databaseId };
      return [{ ...head, ...checkJson(check) }];
    }),
  };
}

/** What differs as a unified diff. Rows of a result stand on lines of their own, since observations are one long line. */
export function unifiedDiff({ recorded, now }: ReplayDifference): string[] {
  const patch = createTwoFilesPatch('recorded', 'now', rowLines(recorded), rowLines(now), '', '', {
    context: 2,
  });
  const lines = patch
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('====') && !line.startsWith('\\ No newline'));
  if (lines.length <= SHOWN_DIFF_LINE_COUNT) return lines;
  const more = lines.length - SHOWN_DIFF_LINE_COUNT;
  return [...lines.slice(0, SHOWN_DIFF_LINE_COUNT), `... and ${more} more lines`];
}

/** Where the check was made and the episodes were recorded, as far as that can matter; a reason for each difference there is. */
export function possibleReasons(report: CheckReport): string[] {
  const { checked, engine, serverVersion, warnings } = report;
  const reasons = new Set<string>(warnings);
  for (const { check, summary, engine: recorded, serverVersion: recordedVersion } of checked) {
    if (check.kind !== 'different') continue;
    if (report.catalogSha256 !== undefined && report.catalogSha256 !== summary.catalogSha256) {
      reasons.add('the server has other tasks or databases than those that were recorded');
    }
    if (recorded.sqliteVersion !== engine.sqliteVersion) {
      reasons.add(
        `SQLite ${engine.sqliteVersion} runs here, and SQLite ${recorded.sqliteVersion} was recorded`,
      );
    } else if (recorded.engineSha256 !== engine.engineSha256) {
      reasons.add(
        `SQLite ${engine.sqliteVersion} was built otherwise than the recorded one: engine ${engine.engineSha256.slice(0, 12)}..., recorded ${recorded.engineSha256.slice(0, 12)}...`,
      );
    }
    if (recordedVersion !== serverVersion) {
      reasons.add(`sqlenv ${serverVersion} plays here, and sqlenv ${recordedVersion} recorded`);
    }
    for (const { note } of check.differences) if (note !== undefined) reasons.add(note);
  }
  return [...reasons];
}

function countLines({ checked, engine, problems }: CheckReport): string[] {
  const lines = [
    `${counted(checked.length, 'episode')} played again on SQLite ${engine.sqliteVersion}`,
  ];
  for (const kind of ['same', 'different', 'unplayable'] as const) {
    lines.push(`  ${kind.padEnd(12)}${String(countOf(checked, kind)).padStart(7)}`);
  }
  if (problems.length > 0) {
    lines.push(`  ${'unreadable'.padEnd(12)}${String(problems.length).padStart(7)}`);
  }
  return lines;
}

function countOf(checked: readonly CheckedEpisode[], kind: EpisodeCheck['kind']): number {
  return checked.filter(({ check }) => check.kind === kind).length;
}

function differenceLines(
  { episodeId, taskId, databaseId }: EpisodeSummary,
  differences: readonly ReplayDifference[],
): string[] {
  const [first, ...others] = differences;
  if (first === undefined) return [];
  const lines = [
    `episode ${episodeId} (task ${taskId}, database ${databaseId})`,
    `${placeOf(first)}: ${first.what} differs`,
    ...unifiedDiff(first),
  ];
  if (others.length > 0) {
    const shown = others.slice(0, SHOWN_REASON_COUNT).map(shortDifference);
    const rest = others.length > shown.length ? [`... and ${others.length - shown.length}`] : [];
    lines.push(`also: ${[...shown, ...rest].join('; ')}`);
  }
  return lines;
}

function shortDifference(difference: ReplayDifference): string {
  const { what, recorded, now } = difference;
  const short = recorded.length <= 40 && now.length <= 40 && !`${recorded}${now}`.includes('\n');
  return `${placeOf(difference)}: ${what}${short ? ` ${recorded || 'none'} -> ${now || 'none'}` : ''}`;
}

function placeOf({ stepIndex, what }: ReplayDifference): string {
  if (stepIndex !== undefined) return `step ${stepIndex}`;
  return what === 'prompt' ? 'prompt' : 'episode';
}

function unplayableReason(check: EpisodeCheck): string | undefined {
  return check.kind === 'unplayable' ? check.reason : undefined;
}

function uncheckedReason(check: EpisodeCheck): string | undefined {
  return check.kind === 'unplayable' ? undefined : check.unchecked;
}

/** How often each reason comes, the most frequent first. */
function reasonsOf(
  checked: readonly CheckedEpisode[],
  reasonOf: (check: EpisodeCheck) => string | undefined,
): [string, number][] {
  const counts = new Map<string, number>();
  for (const { check } of checked) {
    const reason = reasonOf(check);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

function reasonLines(title: string, reasons: readonly [string, number][]): string[] {
  if (reasons.length === 0) return [];
  const total = reasons.reduce((sum, [, count]) => sum + count, 0);
  const shown = reasons.slice(0, SHOWN_REASON_COUNT);
  const rest = reasons.length - shown.length;
  return [
    '',
    `${total} ${title}:`,
    ...shown.map(([reason, count]) => `  ${count} x ${reason}`),
    ...(rest > 0 ? [`  ... and ${rest} other reasons`] : []),
  ];
}

function checkJson(check: EpisodeCheck): Readonly<Record<string, unknown>> {
  switch (check.kind) {
    case 'unplayable':
      return { kind: check.kind, reason: check.reason };
    case 'same':
      return { kind: check.kind, reward_unchecked: check.unchecked };
    case 'different':
      return {
        kind: check.kind,
        ...(check.unchecked === undefined ? {} : { reward_unchecked: check.unchecked }),
        differences: check.differences.map(({ stepIndex, what, recorded, now, note }) => ({
          step_index: stepIndex ?? null,
          what,
          recorded,
          now,
          ...(note === undefined ? {} : { note }),
        })),
      };
  }
}

function rowLines(text: string): string {
  const lines = text
    .replaceAll('"rows": [[', '"rows": [\n[')
    .replaceAll('], [', '],\n[')
    .replaceAll(/\](\]|\], "capped": "[^"]*")\}$/g, ']\n$1}');
  return lines.endsWith('\n') ? lines : `${lines}\n`;
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { episodeTable } from '../../src/cli/episode-table.ts';
import { textWidth } from '../../src/replay/terminal/text/visible.ts';
import { summary } from '../support/episode-summary.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';

const EPISODE_COUNT = 20_000;
const MAIN = path.resolve('dist/src/main.js');

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-list-'));
  const [record] = (await playRecords(ALL_KINDS.slice(0, 1), false)) as [Trajectory];
  const lines = Array.from(
    { length: EPISODE_COUNT },
    (_, number) => `${JSON.stringify({ ...record, episode_id: `rollout/${number}` })}\n`,
  );
  writeFileSync(path.join(folder, 'a.jsonl'), lines.join(''));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('bug: a list of many episodes was one table, or one text, that was made before its first row', () => {
  for (const json of ['', '--json']) {
    const script = `"$0" "$1" replay "$2" --list ${json} 2>&1 | head -n 2; echo "$?\${PIPESTATUS[0]}"`;
    const output = execFileSync('bash', ['-c', script, process.execPath, MAIN, folder], {
      encoding: 'utf8',
    });
    const lines = output.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('rollout/');
    expect(lines[2]).toBe('00');
  }
  const all = execFileSync(process.execPath, [MAIN, 'replay', folder, '--list'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const rows = all.trimEnd().split('\n');
  expect(rows).toHaveLength(EPISODE_COUNT + 1);
  expect(rows.at(-1)).toMatch(/^19999 {2}rollout\/19999 /);
});

test('rows are made one by one', () => {
  let readCount = 0;
  const counting = summary();
  Object.defineProperty(counting, 'index', { get: () => (readCount += 1) });
  const rows = episodeTable(
    Array.from({ length: 1_000 }, () => counting),
    80,
  );
  rows.next();
  const measured = readCount;
  rows.next();
  expect(readCount).toBe(measured + 1);
});

test.each([80, 100, 132])('a table fits %d columns, whatever is in it', (width) => {
  const odd = summary({
    episodeId: `${'x'.repeat(200)}`,
    taskId: '漢字'.repeat(40),
    databaseId: 'a\nb\tc\u001b[31m\u202e',
    verdict: '',
    end: 'abandoned',
    flags: ['both_empty', 'gold_tie'],
    parentId: 'e/0',
  });
  const lines = [...episodeTable([summary(), odd], width)];
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    expect(textWidth(line)).toBeLessThanOrEqual(width);
    expect(line).not.toMatch(/[\n\t\p{Cc}\p{Bidi_Control}]/u);
  }
  expect(lines[2]).toMatch(/x… .*[漢字]… .*fork/);
  const titles = lines[0] ?? '';
  // Cells stand under their titles, by columns of the screen.
  const at = titles.indexOf('database');
  expect(lines[1]?.slice(at)).toMatch(/^concert/);
});

test('without a terminal nothing is cut', () => {
  const long = summary({ episodeId: 'x'.repeat(300) });
  expect([...episodeTable([long], undefined)][1]).toContain('x'.repeat(300));
});

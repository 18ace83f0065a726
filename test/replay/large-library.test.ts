import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';

const EPISODE_COUNT = 100_000;
const LIBRARY = path.resolve('dist/src/replay/library.js');

let folder: string;
let fileBytes = 0;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-large-'));
  const records = await playRecords(ALL_KINDS.slice(0, 4), false);
  const file = path.join(folder, 'trajectories-000001.jsonl');
  const descriptor = openSync(file, 'w');
  for (let first = 0; first < EPISODE_COUNT; first += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, at) => {
      const record = records[at % records.length] as Trajectory;
      const number = first + at;
      // A question, a task and a group for each eight, as a trainer's rollouts have them.
      const group = `task/${Math.floor(number / 8)}`;
      const named = { episode_id: `rollout/${number}`, task_id: group, group_id: group };
      const question = `${record.question} (${group})`;
      return `${JSON.stringify({ ...record, ...named, question })}\n`;
    });
    writeSync(descriptor, lines.join(''));
  }
  closeSync(descriptor);
  fileBytes = statSync(file).size;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('100,000 episodes in a file of more than 200 MB are opened, read and searched in less than 300 MB of memory', () => {
  expect(fileBytes).toBeGreaterThan(200_000_000);
  const script = `
    import { openLibrary } from ${JSON.stringify(LIBRARY)};
    const library = await openLibrary([${JSON.stringify(folder)}]);
    const openBytes = process.resourceUsage().maxRSS * 1024;
    const { episodes, problems } = library;
    const last = await library.read(episodes.length - 1);
    const { signal } = new AbortController();
    const indices = episodes.map((episode) => episode.index);
    const found = await library.searchText({ words: '(TASK/12499)', where: 'text' }, indices, signal);
    console.log(JSON.stringify({
      episodeCount: episodes.length,
      problemCount: problems.length,
      last: last.episode_id,
      found: found.length,
      openBytes,
      searchBytes: process.resourceUsage().maxRSS * 1024,
    }));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const figures = JSON.parse(output) as Record<string, unknown>;
  expect(figures).toMatchObject({
    episodeCount: EPISODE_COUNT,
    problemCount: 0,
    last: 'rollout/99999',
    found: 8,
  });
  expect(figures['openBytes']).toBeLessThan(250 * 2 ** 20);
  expect(figures['searchBytes']).toBeLessThan(300 * 2 ** 20);
}, 180_000);

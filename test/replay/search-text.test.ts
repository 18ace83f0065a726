import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { findEpisodes } from '../../src/replay/find-episodes.ts';
import { parseFilter, type SearchedText } from '../../src/replay/filter.ts';
import { openLibrary } from '../../src/replay/library.ts';
import type { EpisodeLibrary } from '../../src/replay/ports.ts';
import { recordHolds } from '../../src/replay/record-holds.ts';
import { NEVER } from '../support/executor.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';

/** A line in which every character around a phrase is escaped, as JSON allows; the `n` of `\n` is no character. */
const escaped = (line: string): string =>
  line.replaceAll(/(?<!\\)[a-zA-Zé漢]/g, (letter, offset: number) => {
    const inName = /"(?:version|[a-z_0-9]+)":/y;
    inName.lastIndex = line.lastIndexOf('"', offset);
    return inName.test(line) || !/Let me look/.test(line.slice(offset - 20, offset + 20))
      ? letter
      : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

let library: EpisodeLibrary;
let home: string;
let all: Trajectory[];

beforeAll(async () => {
  const records = await playRecords(ALL_KINDS, false);
  const lines = records.map((record) => JSON.stringify(record));
  home = mkdtempSync(path.join(tmpdir(), 'sqlenv-search-'));
  const odd = {
    ...(records[0] as Trajectory),
    question: 'Temperature in \u212Aelvin, \u0130stanbul',
  };
  all = [...records, records[0] as Trajectory, odd];
  writeFileSync(
    path.join(home, 'a.jsonl'),
    [...lines, escaped(lines[0] ?? ''), JSON.stringify(odd)].map((line) => `${line}\n`).join(''),
  );
  library = await openLibrary([home]);
});

afterAll(async () => {
  await library.close();
  rmSync(home, { recursive: true, force: true });
});

const everything = (): number[] => library.episodes.map(({ index }) => index);
const anywhere = (words: string): SearchedText => ({ words, where: 'text' });
const naive = (text: SearchedText): number[] =>
  everything().filter((index) => recordHolds(all[index] as Trajectory, text));

test('the file is as it should be for the tests below', () => {
  expect(library.problems).toEqual([]);
  expect(library.episodes.length).toBe(all.length);
  expect(readFileSync(path.join(home, 'a.jsonl'), 'utf8')).toContain('\\u004c');
});

test('an escaped line says the same as before: the n of a line break was escaped, too', () => {
  const [record] = all;
  expect(JSON.parse(escaped(JSON.stringify(record)))).toEqual(record);
});

test.each([
  ['select name from singer', 12],
  ['LET ME LOOK', 12],
  ['quote " backslash \\ newline \n tab \t null', 1],
  ['É 漢字 🎤', 1],
  ['kelvin, i', 1],
  ['istanbul', 0],
  ['i̇stanbul', 1],
  ['"columns": ["', 5],
  ['.*', 0],
  ['episode_id', 0],
  ['no such text anywhere', 0],
])('%j', async (words, countMin) => {
  const found = await library.searchText(anywhere(words), everything(), NEVER);
  expect(found).toEqual(naive(anywhere(words)));
  expect(found.length).toBeGreaterThanOrEqual(Math.min(countMin, 1));
});

test('any piece of a record is found in it, in any case, and nothing that is not there', async () => {
  const strings = all.flatMap(stringsOf).filter((value) => value !== '');
  const piece = fc
    .tuple(fc.constantFrom(...strings), fc.nat(), fc.integer({ min: 1, max: 12 }))
    .map(([value, from, size]) => value.slice(from % value.length, (from % value.length) + size));
  const words = fc.oneof(
    piece,
    piece.map((value) => value.toUpperCase()),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(words, async (value) => {
      for (const where of ['text', 'sql'] as const) {
        const text = { words: value, where };
        expect(await library.searchText(text, everything(), NEVER)).toEqual(naive(text));
      }
    }),
    { numRuns: 300 },
  );
});

test('only among the episodes that are asked for, in their order, with its progress', async () => {
  const seen: number[] = [];
  const found = await library.searchText(anywhere('singer'), [5, 0, 3], NEVER, (count) =>
    seen.push(count),
  );
  expect(found).toEqual([5, 0, 3].filter((index) => naive(anywhere('singer')).includes(index)));
  expect(seen.at(-1)).toBe(3);
  expect(await library.searchText(anywhere(''), [2, 1], NEVER)).toEqual([2, 1]);
  expect(await library.searchText(anywhere('x'), [], NEVER)).toEqual([]);
});

test('stops with the reason when it is told to', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(library.searchText(anywhere('singer'), everything(), signal)).rejects.toThrow(
    'enough',
  );
});

test('a filter with texts reads only what the other terms let pass', async () => {
  const find = async (source: string): Promise<string[]> => {
    const parsed = parseFilter(source);
    if (parsed.kind === 'problem') throw new Error(parsed.message);
    const found = await findEpisodes(library, parsed.filter, NEVER);
    return found.map((episode) => episode.episodeId);
  };
  expect(await find('end:truncated text:"SELECT 2"')).toEqual(['step-limit']);
  expect(await find('verdict:match truncated:0 -text:"select *" mode:train')).not.toContain(
    'match',
  );
  expect(await find('text:漢字 text:newline -text:absent')).toEqual(['odd-texts']);
});

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

test('bug: a word of the schema found every episode of the database, since the prompt was searched', async () => {
  const [first] = all;
  const system = first?.messages.find(({ role }) => role === 'system')?.content ?? '';
  expect(system).toContain('CREATE TABLE');
  const find = (text: SearchedText): Promise<number[]> =>
    library.searchText(text, everything(), NEVER);
  expect(await find(anywhere('create table'))).toEqual([]);
  expect(await find(anywhere(first?.question ?? ''))).toContain(0);
});

test('`sql:` looks in queries and answers, `text:` in what was said and read, too', async () => {
  const find = (words: string, where: SearchedText['where']): Promise<number[]> =>
    library.searchText({ words, where }, everything(), NEVER);
  expect((await find('LET ME LOOK', 'text')).length).toBeGreaterThan(0);
  expect(await find('LET ME LOOK', 'sql')).toEqual([]);
  const both = await find('select', 'sql');
  expect(both.length).toBeGreaterThan(0);
  expect(both).toEqual(naive({ words: 'select', where: 'sql' }));
});

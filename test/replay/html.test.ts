import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { writeHtml } from '../../src/replay/html.ts';
import { openLibrary } from '../../src/replay/library.ts';
import {
  PAGE_LIMITS,
  packSummaries,
  unpackSummaries,
  type PageEpisode,
  type PageTail,
} from '../../src/replay/page-data.ts';
import { cutAway } from '../../src/replay/page/cut-away.ts';
import { hashOf, parseRoute } from '../../src/replay/page/route.ts';
import { saidParts } from '../../src/replay/page/said-parts.ts';
import type { AnswerComparison, EpisodeLibrary, Replayer } from '../../src/replay/ports.ts';
import { InputError } from '../../src/tasks/task-set.ts';
import { truncateText } from '../../env/truncate.ts';
import { summary } from '../support/episode-summary.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';

let folder: string;
let records: Trajectory[];
let library: EpisodeLibrary;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sqlenv-html-'));
  records = await playRecords(ALL_KINDS, true);
  library = await libraryOf(records);
});

afterAll(async () => {
  await library?.close();
  await rm(folder, { recursive: true, force: true });
});

async function libraryOf(list: readonly Trajectory[]): Promise<EpisodeLibrary> {
  const file = path.join(await mkdtemp(path.join(folder, 'records-')), 'trajectories-000001.jsonl');
  await writeFile(file, list.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return await openLibrary([file]);
}

async function write(
  changes: Partial<Parameters<typeof writeHtml>[0]> = {},
): Promise<{ file: string; byteCount: number }> {
  const options = {
    library,
    replayer: undefined,
    indices: library.episodes.map(({ index }) => index),
    out: path.join(await mkdtemp(path.join(folder, 'out-')), 'page.html'),
    signal: new AbortController().signal,
    ...changes,
  };
  return { file: options.out, ...(await writeHtml(options)) };
}

/** The data of a page, taken out of it by another way than the page's own. */
async function readPage(file: string): Promise<{ episodes: PageEpisode[]; tail: PageTail }> {
  const html = await readFile(file, 'utf8');
  const blocks = [...html.matchAll(/<script type="text\/plain"([^>]*)>([^<]*)<\/script>/g)].map(
    ([, attributes = '', base64 = '']) => ({
      attributes,
      text: gunzipSync(Buffer.from(base64, 'base64')).toString('utf8'),
    }),
  );
  const chunks = blocks.filter(({ attributes }) => attributes.includes('data-first'));
  const tail = blocks.find(({ attributes }) => attributes.includes('page-tail'));
  return {
    episodes: chunks.flatMap(({ text }) =>
      text.split('\n').map((line) => JSON.parse(line) as PageEpisode),
    ),
    tail: JSON.parse(tail?.text ?? '') as PageTail,
  };
}

test('a page can not be written where there is no folder, in place of a folder, and to a device', async () => {
  for (const out of [path.join(folder, 'none', 'page.html'), folder, '/dev/null']) {
    await expect(write({ out })).rejects.toThrow(InputError);
    await expect(write({ out })).rejects.toThrow(`${out}: it can't be written`);
  }
});

test('a page that was begun and could not be ended leaves the old one, and no other file', async () => {
  const place = await mkdtemp(path.join(folder, 'old-'));
  const out = path.join(place, 'page.html');
  await writeFile(out, 'the old one');
  const stopping = new AbortController();
  const onProgress = (count: number): void => {
    if (count === 5) stopping.abort(new Error('stopped by the test'));
  };
  await expect(write({ out, signal: stopping.signal, onProgress })).rejects.toThrow(
    'stopped by the test',
  );
  expect(await readdir(place)).toEqual(['page.html']);
  expect(await readFile(out, 'utf8')).toBe('the old one');
});

test('an episode whose file has changed is an error, not a page without it', async () => {
  const changing = await libraryOf(records);
  const broken: EpisodeLibrary = {
    ...changing,
    episodes: changing.episodes,
    problems: [],
    read: async (index) => {
      if (index === 3) throw new InputError('records:4: the file has changed');
      return await changing.read(index);
    },
  };
  await expect(write({ library: broken })).rejects.toThrow('the file has changed');
  await changing.close();
});

test('the page holds every record as it is, in the order that was asked for', async () => {
  const indices = library.episodes.map(({ index }) => index).toReversed();
  const { file, byteCount } = await write({ indices });
  const { episodes, tail } = await readPage(file);
  expect(episodes.map(({ trajectory }) => trajectory)).toEqual(records.toReversed());
  expect((await readFile(file)).length).toBe(byteCount);
  expect(tail).toMatchObject({ comparisonCount: 0, sqliteVersion: '', schemas: {} });
  expect(tail.mismatchCount).toBe(
    records.filter(({ grade }) => grade?.matched === false && grade.answer_sql !== '').length,
  );
});

test('the same episodes give the same bytes', async () => {
  const [first, second] = [await write(), await write()];
  expect(await readFile(second.file)).toEqual(await readFile(first.file));
});

test('text that could end a script, or that UTF-8 can not hold, does not change the page', async () => {
  const texts = ['</script>', '<!--', '\u2028', '\ud83d', '\0', ']]>', '</style>'];
  const odd = records.map((record, index) => ({
    ...record,
    question: texts[index % texts.length] ?? '',
  }));
  const oddLibrary = await libraryOf(odd);
  const { file } = await write({ library: oddLibrary });
  const html = await readFile(file, 'utf8');
  expect(html).not.toContain('<!--');
  expect(html.match(/<\/script>/g)?.length).toBe(html.match(/<script[ >]/g)?.length);
  const { episodes } = await readPage(file);
  expect(episodes.map(({ trajectory }) => trajectory.question)).toEqual(
    odd.map(({ question }) => question),
  );
  await oddLibrary.close();
});

test('comparisons are bounded in number and size, and what is missing is said', async () => {
  const mismatch = records.find(({ episode_id: id }) => id === 'mismatch');
  const list = Array.from({ length: PAGE_LIMITS.comparisonCountMax + 3 }, (_, index) => ({
    ...mismatch!,
    episode_id: `wrong/${index}`,
  }));
  const wrong = await libraryOf(list);
  let comparedCount = 0;
  const replayer: Replayer = {
    ...NO_REPLAYER,
    compareAnswer: () => {
      comparedCount += 1;
      // The second can't be compared, and so takes none of the places.
      return comparedCount === 2
        ? Promise.reject(new InputError('database db is missing.'))
        : Promise.resolve(longComparison());
    },
  };
  const { file } = await write({
    library: wrong,
    replayer,
    indices: wrong.episodes.map(({ index }) => index),
  });
  const { episodes, tail } = await readPage(file);
  expect(tail.comparisonCount).toBe(PAGE_LIMITS.comparisonCountMax);
  const held = episodes.filter(({ comparison }) => comparison !== undefined);
  expect(held.length).toBe(PAGE_LIMITS.comparisonCountMax);
  expect(episodes[1]?.comparisonNote).toBe(
    'The answer could not be compared again: database db is missing.',
  );
  expect(episodes.at(-1)?.comparisonNote).toContain('at most 2000 comparisons');
  const rows = held[0]?.comparison?.rows ?? [];
  expect(rows.length).toBe(PAGE_LIMITS.comparisonRowCountMax);
  // Differences come before rows that are the same, which fill what is left.
  expect(rows.filter(({ kind }) => kind === 'missing').length).toBe(1);
  expect(rows[0]?.gold?.[0]?.length).toBeLessThan(PAGE_LIMITS.cellSizeMax + 20);
  expect(held[0]?.comparisonRowCount).toBe(301);
  await wrong.close();
});

test('an abort while an answer is compared is no note in the page', async () => {
  const stopping = new AbortController();
  const replayer: Replayer = {
    ...NO_REPLAYER,
    compareAnswer: () => {
      stopping.abort(new Error('stopped by the test'));
      return Promise.reject(new Error('CANCELLED'));
    },
  };
  await expect(write({ replayer, signal: stopping.signal })).rejects.toThrow('stopped by the test');
});

test('summaries come out as they went in, at their places in the page', () => {
  const list = [
    summary({ index: 7, episodeId: 'a', reward: undefined, verdict: '', flags: [] }),
    summary({ index: 3, episodeId: 'half \ud83d', parentId: 'a', flags: ['gold_tie', 'x'] }),
  ];
  const packed = JSON.parse(JSON.stringify(packSummaries(list))) as ReturnType<
    typeof packSummaries
  >;
  expect(unpackSummaries(packed)).toEqual(list.map((one, index) => ({ ...one, index })));
  expect(() => unpackSummaries({ ...packed, columns: {} })).toThrow('the page is damaged');
  expect(unpackSummaries(packSummaries([]))).toEqual([]);
});

test('what the model saw and what was cut away are the whole text', () => {
  const whole = 'a🎤b漢c🎤🎤d'.repeat(9);
  for (const truncateSide of ['left', 'right', 'middle'] as const) {
    for (const textSizeMax of [0, 1, 2, 3, 10, 11, 500]) {
      const { text, truncated } = truncateText(whole, { textSizeMax, truncateSide });
      const cut = cutAway(whole, { text_size_max: textSizeMax, truncate_side: truncateSide });
      const mark = /(\.\.\.)?\(truncated\)(\.\.\.)?/;
      const joined = truncated && textSizeMax > 1 ? text.replace(mark, () => cut) : whole;
      expect(joined, `${truncateSide} ${textSizeMax}`).toBe(whole);
    }
  }
});

test('an address comes back from its text, whatever is in it', () => {
  const places = [
    { view: 'episode', id: 'demo/a b?c#d&e=%', filter: 'text:"a&b=c" -db:x', step: 3, at: 12 },
    { view: 'group', id: 'g\0task/1', sort: '-reward' },
    { view: 'list', filter: '漢字 + %' },
  ] as const;
  for (const place of places) expect(parseRoute(hashOf(place))).toMatchObject(place);
  for (const odd of ['', '#', '#/', '#/nowhere/x', '#/episode/%E0%A4', '#/list?step=-1&at=x']) {
    expect(parseRoute(odd)).toMatchObject({ step: undefined, at: undefined, filter: '' });
  }
  expect(hashOf({ view: 'episode', id: 'half \ud83d' })).toBe('#/episode/half%20%EF%BF%BD');
});

test('the pieces of a turn are the whole turn, calls as the environment counts them', () => {
  const text =
    'First ```sql\nSELECT 1\n``` then <tool_call>{"a": "```sql x ```"}</tool_call>```SQL\nSELECT 2``` <tool_call>open';
  const parts = saidParts(text);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  expect(parts.map(({ kind }) => kind)).toEqual([
    'text',
    'sql',
    'text',
    'call',
    'sql',
    'text',
    'call',
  ]);
  expect(parts.flatMap((part) => (part.kind === 'sql' ? [part.inside] : []))).toEqual([
    'SELECT 1',
    'SELECT 2',
  ]);
  expect(saidParts('```sql never closed')).toEqual([{ kind: 'text', text: '```sql never closed' }]);
});

function longComparison(): AnswerComparison {
  const side = {
    sql: 'SELECT x FROM t',
    status: 'ok',
    errorText: '',
    columns: ['x'],
    rowCount: 301,
    capped: false,
  };
  const same = Array.from({ length: 300 }, (_, index) => {
    const cells = [index === 0 ? 'x'.repeat(5_000) : String(index)];
    return { kind: 'same' as const, gold: cells, answer: cells };
  });
  return {
    gold: side,
    answer: { ...side, rowCount: 300 },
    rows: [...same, { kind: 'missing', gold: ['1'], answer: undefined }],
    counts: { same: 300, missing: 1, extra: 0, order: 0, types: 0 },
    verdicts: [],
    explanation: 'The answer lacks one row.',
  };
}

const unused = (): Promise<never> => Promise.reject(new Error('not asked for here'));

/** Plays nothing; a test puts in what it needs. */
const NO_REPLAYER: Replayer = {
  engine: { sqliteVersion: '3.53.2', engineSha256: 'e'.repeat(64) },
  serverVersion: '',
  catalogSha256: undefined,
  warnings: [],
  check: unused,
  compareAnswer: unused,
  runQuery: unused,
  fork: unused,
  goldSql: () => Promise.resolve(undefined),
  schema: unused,
  stop: () => Promise.resolve(),
};

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { openLibrary, type LibraryOptions } from '../../src/replay/library.ts';
import type { EpisodeLibrary } from '../../src/replay/ports.ts';
import { LineSplitter } from '../../src/replay/record-lines.ts';
import { InputError } from '../../src/tasks/task-set.ts';
import { NEVER } from '../support/executor.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';

let records: Trajectory[];
let lines: string[];
let folder: string;
const opened: EpisodeLibrary[] = [];

beforeAll(async () => {
  records = await playRecords(ALL_KINDS, false);
  lines = records.map((record) => JSON.stringify(record));
});

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-library-'));
});

afterEach(async () => {
  for (const library of opened.splice(0)) await library.close();
  rmSync(folder, { recursive: true, force: true });
});

const place = (name: string): string => path.join(folder, name);
const text = (chosen: readonly (string | undefined)[]): string =>
  chosen.map((line) => `${line ?? ''}\n`).join('');

function put(name: string, content: string | Buffer): string {
  mkdirSync(path.dirname(place(name)), { recursive: true });
  writeFileSync(place(name), content);
  return place(name);
}

async function open(paths: readonly string[], options: LibraryOptions = {}) {
  const library = await openLibrary(paths, options);
  opened.push(library);
  return library;
}

const idsOf = (library: EpisodeLibrary): string[] =>
  library.episodes.map((episode) => episode.episodeId);

/** `name: message` of every problem, without the folder. */
const problemsOf = (library: EpisodeLibrary): string[] =>
  library.problems.map(
    ({ location, message }) => `${path.relative(folder, location) || '.'}: ${message}`,
  );

const failure = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(InputError);
      return (error as Error).message.replace(`${folder}/`, '');
    },
  );

describe('what can not be read is named, and the rest is there', () => {
  test('lines of all bad kinds among good ones', async () => {
    const bad = [
      '{"version": 1, "episode_id',
      '"a text"',
      '{"task_id": "t", "question": "q"}',
      lines[1]?.replace('"version":1', '"version":7'),
      lines[1]?.replace('"split":"dev"', '"split":5'),
    ];
    const torn = lines[2]?.slice(0, 500) ?? '';
    put('a.jsonl', `${text([lines[0], '', ...bad, ' \r', `${lines[1]}\r`])}${torn}`);
    const library = await open([folder]);
    expect(idsOf(library)).toEqual(['match', 'mismatch']);
    expect(problemsOf(library)).toEqual([
      expect.stringMatching(/^a.jsonl:3: it is not JSON \(/),
      'a.jsonl:4: it is JSON, but not an object',
      'a.jsonl:5: it is no trajectory: it has no version',
      'a.jsonl:6: it is a trajectory of version 7, written by a newer sqlenv',
      expect.stringMatching(/^a.jsonl:7: it is no trajectory of version 1: split: /),
      'a.jsonl:10: the last line is torn: whoever wrote it was killed, or is still writing',
    ]);
    expect(await library.read(1)).toEqual(records[1]);
  });

  test('a last line without a newline that is whole is an episode', async () => {
    const library = await open([put('a.jsonl', lines.slice(0, 2).join('\n'))]);
    expect(idsOf(library)).toEqual(['match', 'mismatch']);
    expect(library.problems).toEqual([]);
  });

  test('bytes that are not UTF-8', async () => {
    const bytes = Buffer.from(text(lines.slice(0, 3)));
    bytes[bytes.indexOf('Let me look') + 2] = 0xff;
    const library = await open([put('a.jsonl', bytes)]);
    expect(problemsOf(library)).toEqual(['a.jsonl:1: it is not valid UTF-8']);
    expect(idsOf(library)).toEqual(['mismatch', 'no-answer']);
  });

  test('a line of more than 512 MB, in bounded memory', async () => {
    const file = put('a.jsonl', text([lines[0]]));
    const descriptor = openSync(file, 'r+');
    const end = readFileSync(file).length + 600 * 2 ** 20;
    writeSync(descriptor, text(['', lines[1]]), end); // a hole of zeros before it
    closeSync(descriptor);
    const library = await open([file]);
    expect(problemsOf(library)).toEqual(['a.jsonl:2: the line is longer than 128 MB']);
    expect(idsOf(library)).toEqual(['match', 'mismatch']);
    expect((await library.read(1)).episode_id).toBe('mismatch');
  });

  test('paths that are missing, empty, or no files', async () => {
    mkdirSync(place('empty'));
    const socket = createServer().listen(place('socket'));
    await once(socket, 'listening');
    symlinkSync(place('gone.jsonl'), place('link.jsonl'));
    put('b.jsonl', text([lines[0]]));
    put('nothing.jsonl', '');
    const library = await open(['missing', 'empty', 'socket', '.'].map(place));
    expect(problemsOf(library)).toEqual([
      'missing: there is no such file or folder',
      'empty: there are no trajectories in it (*.jsonl, *.jsonl.gz)',
      'socket: it is not a file',
      'link.jsonl: there is no such file or folder',
    ]);
    socket.close();
    expect(idsOf(library)).toEqual(['match']);
  });

  test("a file that can't be read", async () => {
    put('a.jsonl', text([lines[0]]));
    // For root every file can be read; but for this one, at its beginning.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) symlinkSync('/proc/self/mem', place('b.jsonl'));
    else execFileSync('chmod', ['000', put('b.jsonl', text([lines[1]]))]);
    const library = await open([folder]);
    expect(problemsOf(library)).toEqual([
      expect.stringMatching(isRoot ? /^b\.jsonl: .*EIO/ : /^b\.jsonl: .*no permission \(EACCES\)$/),
    ]);
    expect(idsOf(library)).toEqual(['match']);
  });

  test('a file of something else is one problem, not thousands', async () => {
    put('tasks.jsonl', '{"task_id": "t"}\n'.repeat(5_000));
    put('b.jsonl', text([lines[0]]));
    const library = await open([folder]);
    expect(problemsOf(library)).toEqual([
      'tasks.jsonl:1: it is no trajectory: it has no version; none of its 5000 lines is a trajectory',
    ]);
    expect(idsOf(library)).toEqual(['match']);
  });

  test('of thousands of bad lines the first hundred are named', async () => {
    const library = await open([put('a.jsonl', `${'x\n'.repeat(1_101)}${text([lines[0]])}`)]);
    expect(library.problems.length).toBe(101);
    expect(problemsOf(library).at(-1)).toBe("a.jsonl: 1001 more lines can't be read");
    expect(idsOf(library)).toEqual(['match']);
  });
});

describe('compressed files', () => {
  const records1000 = (): string =>
    text(Array.from({ length: 1_000 }, (_, index) => lines[index % lines.length]));

  test('are read like others, also when several follow one another in one file', async () => {
    put(
      'a.jsonl.gz',
      Buffer.concat([gzipSync(text(lines.slice(0, 2))), gzipSync(text([lines[2]]))]),
    );
    put('b.jsonl', text([lines[3]]));
    put('renamed.jsonl', gzipSync(text([lines[4]])));
    const library = await open([folder]);
    expect(library.problems).toEqual([]);
    expect(idsOf(library)).toEqual(records.slice(0, 5).map((record) => record.episode_id));
    for (const { index } of library.episodes) {
      expect(await library.read(index)).toEqual(records[index]);
    }
    expect(await library.searchText({ words: 'select', where: 'text' }, [4, 3, 0], NEVER)).toEqual([
      3, 0,
    ]);
  });

  test('a file that is cut off gives what it holds', async () => {
    const whole = gzipSync(records1000());
    const library = await open([put('a.jsonl.gz', whole.subarray(0, whole.length - 40))]);
    const count = library.episodes.length;
    expect(count).toBeGreaterThan(900);
    expect(problemsOf(library)).toEqual([
      `a.jsonl.gz: the compressed file is cut off; ${count} episodes before that are there`,
    ]);
    expect((await library.read(count - 1)).episode_id).toBe(idsOf(library)[count - 1]);
  });

  test('a file that is damaged, empty or not compressed is named', async () => {
    const damaged = gzipSync(records1000());
    const middle = Math.floor(damaged.length / 2);
    damaged.fill(0x55, middle, middle + 100);
    put('a.jsonl.gz', damaged);
    put('b.jsonl.gz', '');
    put('c.jsonl.gz', text([lines[0]]));
    put('d.jsonl', text([lines[0]]));
    const library = await open([folder]);
    const problems = problemsOf(library);
    for (const pattern of [
      /^a.jsonl.gz: the compressed file is damaged \(.*\); \d+ episodes? before/,
      /^b.jsonl.gz: the compressed file is cut off; 0 episodes/,
      /^c.jsonl.gz: the compressed file is damaged \(incorrect header check\)/,
    ]) {
      expect(problems.filter((problem) => pattern.test(problem))).toHaveLength(1);
    }
    expect(idsOf(library).at(-1)).toBe('match');
  });

  test('leave no temporary file behind, however the process ends', () => {
    const file = put('a.jsonl.gz', gzipSync(text(lines)));
    mkdirSync(place('tmp'));
    const library = path.resolve('dist/src/replay/library.js');
    const script = `
      import { readdirSync } from 'node:fs';
      import { openLibrary } from ${JSON.stringify(library)};
      const library = await openLibrary([${JSON.stringify(file)}]);
      const { question } = await library.read(3);
      console.log(JSON.stringify([question, readdirSync(process.env.TMPDIR)]));
      process.kill(process.pid, 'SIGKILL');`;
    const run = (): string =>
      execFileSync(process.execPath, ['--input-type=module', '-e', `${script}`], {
        env: { ...process.env, TMPDIR: place('tmp') },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    let output = '';
    try {
      run();
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    expect(JSON.parse(output)).toEqual([records[3]?.question, []]);
    expect(readdirSync(place('tmp'))).toEqual([]);
  });
});

describe('finding files', () => {
  test('in folders at any depth, by name, each once', async () => {
    put('trajectories-000002.jsonl', text([lines[1]]));
    const first = put('trajectories-000001.jsonl', text([lines[0]]));
    put('inner/x.jsonl', text([lines[2]]));
    put('.hidden/x.jsonl', text([lines[3]]));
    put('catalog-0123456789abcdef.json', '{}');
    put('notes.txt', 'x');
    const library = await open([folder, first, place('inner')]);
    expect(library.problems).toEqual([]);
    expect(idsOf(library)).toEqual(['no-answer', 'match', 'mismatch']);
  });

  test('bug: a file of forks before the others in the alphabet moved their indices', async () => {
    const parent = { episode_id: 'match', step_index: 0 };
    const fork = JSON.stringify({ ...records[2], episode_id: 'fork', parent });
    put('forks.jsonl', text([fork, lines[3]]));
    put('trajectories-000001.jsonl', text(lines.slice(0, 2)));
    put('z.jsonl.gz', gzipSync(text([fork, lines[4]])));
    const library = await open([folder]);
    const names = [records[3], records[0], records[1], records[4]].map((one) => one?.episode_id);
    expect(idsOf(library)).toEqual([...names, 'fork', 'fork']);
    expect(library.episodes.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const { index, episodeId } of library.episodes) {
      expect((await library.read(index)).episode_id).toBe(episodeId);
    }
    const found = await library.searchText({ words: 'fork', where: 'text' }, [0, 4, 5], NEVER);
    expect(found).toEqual([4, 5]);
  });

  test('an episode that is there twice is kept twice', async () => {
    const library = await open([put('a.jsonl', text([lines[0], lines[0]]))]);
    expect(idsOf(library)).toEqual(['match', 'match']);
    expect(library.episodes.map(({ index }) => index)).toEqual([0, 1]);
  });

  test('a file with a byte order mark', async () => {
    const library = await open([put('a.jsonl', `\uFEFF${text(lines.slice(0, 2))}`)]);
    expect(library.problems).toEqual([]);
    expect(await library.read(0)).toEqual(records[0]);
    expect(await library.read(1)).toEqual(records[1]);
  });
});

describe('opening', () => {
  test('says how far it is, and comes to the end', async () => {
    put('a.jsonl', text([...lines, ...lines]));
    put('b.jsonl.gz', gzipSync(text(lines)));
    const seen: [number, number][] = [];
    await open([folder], { onProgress: (bytes, total) => seen.push([bytes, total]) });
    const bytes = seen.map(([done]) => done);
    expect(bytes).toEqual(bytes.toSorted((a, b) => a - b));
    expect(seen.at(-1)?.[0]).toBe(seen.at(-1)?.[1]);
  });

  test.each(['a.jsonl', 'a.jsonl.gz'])('of %s stops at once when it is told to', async (name) => {
    const content = text(Array.from({ length: 2_000 }, () => lines[0]));
    put(name, name.endsWith('.gz') ? gzipSync(content, { level: 0 }) : content);
    const stop = new AbortController();
    const opening = openLibrary([folder], {
      signal: stop.signal,
      onProgress: (bytes, total) => {
        expect(bytes).toBeLessThan(total);
        stop.abort(new Error('enough'));
      },
    });
    await expect(opening).rejects.toThrow('enough');
  });

  test('summaries say what the records say', async () => {
    const library = await open([put('a.jsonl', text(lines))]);
    const byId = new Map(library.episodes.map((episode) => [episode.episodeId, episode]));
    expect(byId.get('match')).toMatchObject({
      ...{ taskId: 'singers/1', databaseId: 'db', split: 'dev', difficulty: 'easy', mode: 'train' },
      ...{ end: 'terminated', endReason: 'answer', verdict: 'match', reward: 1, flags: [] },
      ...{ stepCount: 2, toolCallCount: 1, truncatedCount: 0, failedQueryCount: 0 },
      ...{ comparisonMode: 'bag@1', completionTokenCount: 22, durationMs: 500 },
      ...{ sqliteVersion: records[0]?.engine.sqlite_version, parentId: undefined },
    });
    expect(byId.get('hostile')).toMatchObject({ failedQueryCount: 4, verdict: '', end: 'closed' });
    expect(byId.get('hostile')?.reward).toBeUndefined();
    expect(byId.get('shortened')).toMatchObject({ truncatedCount: 1 });
    expect(byId.get('parallel')).toMatchObject({ toolCallCount: 2 });
    expect(byId.get('both-empty')?.flags).toContain('both_empty');
    expect(byId.get('step-limit')).toMatchObject({ end: 'truncated', endReason: 'step_limit' });
    expect(byId.get('odd-texts')).toMatchObject({ groupId: 'g/1', mode: 'eval' });
  });
});

describe('reading an episode', () => {
  test('of a file that has grown since it was opened', async () => {
    const file = put('a.jsonl', text([lines[0]]));
    const library = await open([file]);
    appendFileSync(file, text(lines));
    expect(await library.read(0)).toEqual(records[0]);
  });

  test('of a file that has changed or gone, or that was broken deeper down', async () => {
    const broken = lines[2]?.replace('"row_count":', '"rows":') ?? '';
    const deep = lines[1]?.replace('"gold_row_count":', '"rows":') ?? '';
    const file = put('a.jsonl', text([lines[0], deep, broken]));
    const library = await open([file]);
    expect(library.problems).toEqual([]);
    expect(await failure(library.read(1))).toContain(
      'a.jsonl:2: it is no trajectory of version 1: grade.gold_row_count: it is missing',
    );
    writeFileSync(file, text([`{"more": 1, ${lines[0]?.slice(1)}`, lines[1], lines[2]]));
    expect(await failure(library.read(0))).toContain('a.jsonl:1: it is not JSON');
    writeFileSync(file, text([lines[0]?.replace('"match"', '"other"')]));
    expect(await failure(library.read(0))).toBe(
      'a.jsonl:1: the file has changed since it was opened',
    );
    expect(await failure(library.read(1))).toBe(
      'a.jsonl:2: the file has changed since it was opened',
    );
    expect(
      await failure(library.searchText({ words: 'x', where: 'text' }, [0, 1], NEVER)),
    ).toContain('has changed');
    rmSync(file);
    expect(await failure(library.read(0))).toBe('a.jsonl: there is no such file or folder');
    expect(await failure(library.searchText({ words: 'x', where: 'text' }, [0], NEVER))).toContain(
      'no such file',
    );
    expect(await failure(library.read(3))).toContain('no episode with the index 3');
  });

  test('of a library that has been closed; closing twice is well', async () => {
    const library = await open([put('a.jsonl.gz', gzipSync(text(lines)))]);
    await library.close();
    await library.close();
    expect(await failure(library.read(0))).toBe('the records have been closed');
  });
});

test('lines come out the same whatever the chunks are', () => {
  const bytes = fc.array(fc.constantFrom(0x0a, 0x61, 0xef, 0xbb, 0xbf, 0x00), { maxLength: 60 });
  fc.assert(
    fc.property(
      bytes,
      fc.array(fc.nat(7), { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      (content, cuts, max) => {
        const whole = Buffer.from(content);
        const seen: { offset: number; size: number | undefined; lineNumber: number }[] = [];
        const splitter = new LineSplitter(({ bytes: line, offset, lineNumber }) => {
          seen.push({ offset, size: line?.length, lineNumber });
          if (line !== undefined) {
            expect(line.equals(whole.subarray(offset, offset + line.length))).toBe(true);
            expect(line.includes(0x0a)).toBe(false);
          }
        }, max);
        let at = 0;
        for (const cut of [...cuts, whole.length]) {
          const scratch = Buffer.from(whole.subarray(at, at + cut));
          splitter.push(scratch);
          scratch.fill(0); // the buffer is used again
          at += cut;
        }
        splitter.end();
        const parts = whole.toString('latin1').split('\n');
        if (parts.at(-1) === '') parts.pop();
        expect(seen.map(({ size }) => size === undefined)).toEqual(
          parts.map((part) => part.length > max),
        );
        expect(seen.map(({ lineNumber }) => lineNumber)).toEqual(
          parts.map((_, index) => index + 1),
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

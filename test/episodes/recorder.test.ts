import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import {
  TrajectoryRecorder,
  type RecorderOptions,
  type RecorderStats,
} from '../../src/episodes/recorder.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { recordingLog, until, type RecordedLog } from '../support/log.ts';

/** The built one: a process of its own can't run TypeScript. */
const RECORDER = path.join(PACKAGE_ROOT, 'dist/src/episodes/recorder.js');

let folder: string;
let log: RecordedLog;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-recorder-'));
  log = recordingLog();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function trajectory(id: string, question = 'How many?'): Trajectory {
  return { version: 1, episode_id: id, question } as Trajectory;
}

function openRecorder(options: Partial<RecorderOptions> = {}): Promise<TrajectoryRecorder> {
  return TrajectoryRecorder.open({ folder, fileBytesMax: 1_000_000, log, retryMs: 10, ...options });
}

function file(number: number): string {
  return path.join(folder, `trajectories-${String(number).padStart(6, '0')}.jsonl`);
}

function idsIn(number: number): string[] {
  const lines = readFileSync(file(number), 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => (JSON.parse(line) as Trajectory).episode_id);
}

describe('appending', () => {
  test('one line each, in order, and none lost when many end at once', async () => {
    const recorder = await openRecorder();
    const ids = Array.from({ length: 600 }, (_, index) => `e${index}`);
    for (const id of ids) recorder.record(trajectory(id));
    await recorder.close();
    expect(idsIn(1)).toEqual(ids);
    expect(recorder.stats()).toMatchObject({ recordedCount: 600, pendingCount: 0, errorCount: 0 });
  });

  test('is written soon, without closing, also when lines come one after the other', async () => {
    const recorder = await openRecorder();
    for (let index = 0; index < 20; index += 1) {
      recorder.record(trajectory(`e${index}`));
      await until(() => recorder.stats().recordedCount === index + 1);
    }
    await recorder.close();
    expect(idsIn(1)).toHaveLength(20);
  });

  test('a second start appends to the last file', async () => {
    for (const id of ['a', 'b']) {
      const recorder = await openRecorder();
      recorder.record(trajectory(id));
      await recorder.close();
    }
    expect(idsIn(1)).toEqual(['a', 'b']);
  });

  test('newlines, lone surrogates and NUL stay inside one line', async () => {
    const recorder = await openRecorder();
    const question = 'a\nb\u2028c\ud800d\u0000e';
    recorder.record(trajectory('odd', question));
    await recorder.close();
    const lines = readFileSync(file(1), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect((JSON.parse(lines[0] ?? '') as Trajectory).question).toBe(question);
  });

  test('two recorders on one folder do not mix their lines', async () => {
    const options = { fileBytesMax: 10_000_000 };
    const recorders = [await openRecorder(options), await openRecorder(options)];
    for (let index = 0; index < 200; index += 1) {
      for (const [which, recorder] of recorders.entries()) {
        recorder.record(trajectory(`${which}-${index}`, 'x'.repeat(5_000)));
      }
    }
    await Promise.all(recorders.map((recorder) => recorder.close()));
    expect(new Set(idsIn(1)).size).toBe(400);
  });

  test('closing twice is one close, and what comes later is counted as dropped', async () => {
    const recorder = await openRecorder();
    await Promise.all([recorder.close(), recorder.close()]);
    recorder.record(trajectory('late'));
    expect(recorder.stats()).toMatchObject({ recordedCount: 0, droppedCount: 1 });
  });
});

describe('a torn last line', () => {
  test('is reported, gets an end, and the next line is whole', async () => {
    writeFileSync(file(1), '{"episode_id":"whole"}\n{"episode_id":"to');
    const recorder = await openRecorder();
    expect(recorder.stats().tornLineCount).toBe(1);
    expect(log.lines.map((line) => line.message)).toEqual([
      'the last line of the trajectory file is torn; skip it',
    ]);
    expect(log.lines[0]?.fields).toEqual({ file: 'trajectories-000001.jsonl' });
    recorder.record(trajectory('next'));
    await recorder.close();
    const lines = readFileSync(file(1), 'utf8').split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"episode_id":"whole"}', '{"episode_id":"to']);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ episode_id: 'next' });
  });

  test('an empty file and a whole last line are not torn', async () => {
    writeFileSync(file(1), '');
    const empty = await openRecorder();
    await empty.close();
    writeFileSync(file(1), '{"episode_id":"whole"}\n');
    const whole = await openRecorder();
    await whole.close();
    expect([empty.stats().tornLineCount, whole.stats().tornLineCount]).toEqual([0, 0]);
  });
});

describe('rotation', () => {
  test('no file is larger than the limit, and none is split inside a line', async () => {
    const recorder = await openRecorder({ fileBytesMax: 1_000 });
    for (let index = 0; index < 50; index += 1) recorder.record(trajectory(`e${index}`));
    await recorder.close();
    const names = readdirSync(folder).toSorted();
    expect(names.length).toBeGreaterThan(2);
    const ids = names.flatMap((name, index) => {
      expect(readFileSync(path.join(folder, name)).length).toBeLessThanOrEqual(1_000);
      return idsIn(index + 1);
    });
    expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => `e${index}`));
  });

  test('at limit - 1, limit, limit + 1 bytes', async () => {
    const line = JSON.stringify(trajectory('a')).length + 1;
    for (const [spare, files] of [
      [-1, 2],
      [0, 1],
      [1, 1],
    ] as const) {
      const recorder = await openRecorder({ fileBytesMax: 2 * line + spare });
      recorder.record(trajectory('a'));
      recorder.record(trajectory('b'));
      await recorder.close();
      expect(readdirSync(folder)).toHaveLength(files);
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
    }
  });

  test('a line larger than the limit has a file of its own', async () => {
    const recorder = await openRecorder({ fileBytesMax: 500 });
    for (const id of ['small', 'large', 'last']) {
      recorder.record(trajectory(id, id === 'large' ? 'x'.repeat(2_000) : ''));
    }
    await recorder.close();
    expect([idsIn(1), idsIn(2), idsIn(3)]).toEqual([['small'], ['large'], ['last']]);
  });

  test('a start goes on with the highest number, beyond a gap and past foreign files', async () => {
    writeFileSync(file(7), '');
    writeFileSync(path.join(folder, 'notes.txt'), 'mine');
    const recorder = await openRecorder();
    recorder.record(trajectory('a'));
    await recorder.close();
    expect(idsIn(7)).toEqual(['a']);
  });
});

describe('a full disk', () => {
  test('never throws, is logged once, and everything arrives when there is room again', async () => {
    symlinkSync('/dev/full', file(1));
    const recorder = await openRecorder();
    for (let index = 0; index < 10; index += 1) recorder.record(trajectory(`e${index}`));
    await until(() => recorder.stats().errorCount >= 3);
    expect(recorder.stats()).toMatchObject({ recordedCount: 0, pendingCount: 10, droppedCount: 0 });
    expect(log.lines.filter((line) => line.level === 'error')).toHaveLength(1);
    rmSync(file(1));
    await until(() => recorder.stats().pendingCount === 0);
    await recorder.close();
    expect(idsIn(1)).toEqual(Array.from({ length: 10 }, (_, index) => `e${index}`));
    expect(log.lines.at(-1)?.message).toBe('trajectories are written again');
  });

  test('what waits is bounded: the rest is dropped, counted, and logged once', async () => {
    symlinkSync('/dev/full', file(1));
    const recorder = await openRecorder({ pendingBytesMax: 500 });
    for (let index = 0; index < 100; index += 1) recorder.record(trajectory(`e${index}`));
    await until(() => recorder.stats().errorCount > 0);
    for (let index = 100; index < 200; index += 1) recorder.record(trajectory(`e${index}`));
    await until(() => recorder.stats().pendingCount < 10);
    const { pendingCount, droppedCount } = recorder.stats();
    expect(pendingCount + droppedCount).toBe(200);
    expect(pendingCount).toBeGreaterThan(0);
    expect(log.lines.filter((line) => line.message.includes('dropped'))).toHaveLength(1);
    await recorder.close();
  });

  test('closing gives up after one more try, and says what is lost', async () => {
    symlinkSync('/dev/full', file(1));
    const recorder = await openRecorder();
    recorder.record(trajectory('lost'));
    await until(() => recorder.stats().errorCount > 0);
    await recorder.close();
    expect(log.lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { count: 1 },
      message: 'trajectories are lost: they were not written',
    });
  });

  test('a write that is cut short: what is whole is not written twice, and nothing is lost', async () => {
    const script = `
      import { TrajectoryRecorder } from ${JSON.stringify(RECORDER)};
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const options = { folder: ${JSON.stringify(folder)}, fileBytesMax: 1e9, log, retryMs: 5 };
      const recorder = await TrajectoryRecorder.open(options);
      for (let index = 0; index < 20; index += 1) {
        recorder.record({ episode_id: 'e' + index, question: 'x'.repeat(300) });
      }
      while (recorder.stats().errorCount < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      console.log(JSON.stringify(recorder.stats()));
      process.exit();`;
    // Files of this process may not grow over 4 kB: the write that reaches that ends early, the next one fails.
    const limited = `ulimit -f 4; exec "${process.execPath}" --input-type=module -e "$SCRIPT"`;
    const environment = { ...process.env, SCRIPT: script };
    const printed = execFileSync('bash', ['-c', limited], { env: environment, encoding: 'utf8' });
    const stats = JSON.parse(printed) as RecorderStats;
    const lines = readFileSync(file(1), 'utf8').split('\n');
    expect(stats.recordedCount).toBe(lines.length - 1);
    expect(stats.recordedCount).toBeGreaterThan(5);
    expect(stats.recordedCount + stats.pendingCount).toBe(20);
    expect(() => JSON.parse(lines.at(-1) ?? '') as unknown).toThrow('JSON');
    const next = await openRecorder();
    expect(next.stats().tornLineCount).toBe(1);
    await next.close();
  });

  test('a line that comes just when the last write is over is not forgotten', async () => {
    for (let depth = 1; depth <= 12; depth += 1) {
      symlinkSync('/dev/full', file(1));
      const later = {
        ...log,
        info: () => afterMicrotasks(depth, () => recorder.record(trajectory('late'))),
      };
      const recorder = await openRecorder({ log: later });
      recorder.record(trajectory('first'));
      await until(() => recorder.stats().errorCount > 0);
      rmSync(file(1));
      await until(() => recorder.stats().recordedCount === 2);
      await recorder.close();
      rmSync(file(1));
    }
  });

  test('a folder that vanishes is an error, and recording goes on when it is back', async () => {
    const recorder = await openRecorder();
    rmSync(folder, { recursive: true });
    recorder.record(trajectory('unlinked'));
    await until(() => recorder.stats().recordedCount === 1);
    await recorder.close();
  });
});

/** Runs something after so many turns of the queue of promises, and before anything else can happen. */
function afterMicrotasks(count: number, run: () => void): void {
  queueMicrotask(() => (count === 0 ? run() : afterMicrotasks(count - 1, run)));
}

test('a folder that cannot be made stops the start', async () => {
  writeFileSync(path.join(folder, 'occupied'), '');
  await expect(openRecorder({ folder: path.join(folder, 'occupied', 'x') })).rejects.toThrow(
    'ENOTDIR',
  );
});

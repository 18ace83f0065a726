import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { openLibrary } from '../../src/replay/library.ts';
import {
  manifestName,
  readManifest,
  writeManifest,
  type RecordManifest,
} from '../../src/replay/manifest.ts';
import { InputError } from '../../src/tasks/task-set.ts';
import { until } from '../support/log.ts';
import { spawnServer, type ServerProcess } from '../support/spawn-server.ts';

const MANIFEST: RecordManifest = {
  version: 1,
  catalog_sha256: `${'0123456789abcdef'.repeat(4)}`,
  title: 'Spider',
  server_version: '0.1.0',
  tasks: { kind: 'spider', folder: '/data/spider', split: 'dev' },
  databases: [{ database_id: 'pets', path: '/data/pets.sqlite', sha256: 'd'.repeat(64) }],
};

let folder: string;
let server: ServerProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-manifest-'));
});

afterEach(async () => {
  server?.client.disconnect();
  server?.child.kill('SIGKILL');
  await server?.exit;
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const place = (name: string): string => path.join(folder, name);

async function failure(content: string): Promise<string> {
  writeFileSync(place(manifestName(MANIFEST.catalog_sha256)), content);
  const error: unknown = await readManifest(folder, MANIFEST.catalog_sha256).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(InputError);
  return (error as Error).message.replace(`${folder}/`, '');
}

describe('reading', () => {
  test('one that is not there is undefined', async () => {
    expect(await readManifest(folder, MANIFEST.catalog_sha256)).toBeUndefined();
    expect(await readManifest(place('missing'), MANIFEST.catalog_sha256)).toBeUndefined();
  });

  test('what is wrong with one is said', async () => {
    const name = 'catalog-0123456789abcdef.json';
    expect(await failure('{')).toBe(`${name}: it is not JSON`);
    expect(await failure('null')).toContain(`${name}: `);
    expect(await failure(JSON.stringify({ ...MANIFEST, version: 2 }))).toBe(
      `${name}: it is of version 2, written by a newer sqlenv`,
    );
    expect(await failure(JSON.stringify({ ...MANIFEST, databases: [{}] }))).toContain(
      `${name}: databases.0.database_id: `,
    );
    const other = { ...MANIFEST, catalog_sha256: 'f'.repeat(64) };
    expect(await failure(JSON.stringify(other))).toContain('it is of the catalog ffff');
    rmSync(place(name));
    mkdirSync(place(name));
    await expect(readManifest(folder, MANIFEST.catalog_sha256)).rejects.toThrow('EISDIR');
  });
});

describe('writing', () => {
  test('comes back as it was, and leaves nothing else in the folder', async () => {
    await writeManifest(folder, MANIFEST);
    expect(await readManifest(folder, MANIFEST.catalog_sha256)).toEqual(MANIFEST);
    expect(readdirSync(folder)).toEqual(['catalog-0123456789abcdef.json']);
  });

  test('touches no file that has the content already, and replaces one that has not', async () => {
    const file = place(manifestName(MANIFEST.catalog_sha256));
    await writeManifest(folder, MANIFEST);
    utimesSync(file, 1, 1);
    await writeManifest(folder, MANIFEST);
    expect(statSync(file).mtimeMs).toBe(1_000);
    await writeManifest(folder, { ...MANIFEST, title: 'moved' });
    expect((await readManifest(folder, MANIFEST.catalog_sha256))?.title).toBe('moved');
  });

  test('many at once leave one that is whole', async () => {
    const titles = Array.from({ length: 20 }, (_, index) => `title ${index}`);
    await Promise.all(titles.map((title) => writeManifest(folder, { ...MANIFEST, title })));
    const read = await readManifest(folder, MANIFEST.catalog_sha256);
    expect(titles).toContain(read?.title);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

describe('serve', () => {
  const serve = async (...args: string[]): Promise<ServerProcess> => {
    server = await spawnServer([...args, '--record', 'records'], { cwd: folder });
    return server;
  };
  const files = (): string[] => readdirSync(place('records')).toSorted();

  test('writes where the demo and its databases are, and no gold', async () => {
    const { client } = await serve('--demo');
    const { catalogSha256 } = await client.getInfo({});
    const name = manifestName(catalogSha256);
    expect(files()).toEqual([name, 'trajectories-000001.jsonl']);
    const manifest = await readManifest(place('records'), catalogSha256);
    expect(manifest).toMatchObject({ version: 1, title: 'the demo', tasks: { kind: 'demo' } });
    expect(manifest?.databases).toHaveLength(10);
    for (const database of manifest?.databases ?? []) {
      expect(path.isAbsolute(database.path)).toBe(true);
      const hash = createHash('sha256').update(readFileSync(database.path)).digest('hex');
      expect(database.sha256).toBe(hash);
    }
    const page = await client.listTasks({ pageSize: 200, includeGold: true });
    const content = readFileSync(path.join(place('records'), name), 'utf8');
    for (const { goldSql } of page.tasks) expect(content).not.toContain(goldSql);
    // A library over the folder does not take it for a trajectory.
    const library = await openLibrary([place('records')]);
    expect(library.problems).toEqual([]);
    await library.close();
  });

  test('makes the paths of files of tasks absolute, and knows another catalog from the first', async () => {
    const built = path.join(PACKAGE_ROOT, 'databases/build/bakery_chain/bakery_chain.sqlite');
    mkdirSync(place('data'));
    copyFileSync(built, place('data/bakery.sqlite'));
    const task = { task_id: 't/1', database_id: 'bakery', question: 'How many?', split: 'dev' };
    writeFileSync(
      place('tasks.jsonl'),
      `${JSON.stringify({ ...task, gold_sql: 'SELECT count(*) FROM products' })}\n`,
    );
    const args = ['--databases', 'data', '--tasks', 'tasks.jsonl', '--split', 'dev'];
    const first = await serve(...args);
    const { catalogSha256 } = await first.client.getInfo({});
    expect(await readManifest(place('records'), catalogSha256)).toMatchObject({
      title: 'tasks.jsonl',
      tasks: {
        kind: 'files',
        databases: place('data'),
        tasks: place('tasks.jsonl'),
        split: 'dev',
      },
      databases: [{ database_id: 'bakery', path: place('data/bakery.sqlite') }],
    });
    first.client.disconnect();
    first.child.kill('SIGTERM');
    expect(await first.exit).toBe(0);
    await serve('--demo');
    expect(files().filter((name) => name.startsWith('catalog-'))).toHaveLength(2);
  });

  test('serves all the same when the manifest can not be written, and logs it', async () => {
    const catalogSha256 = await (async () => {
      const { client, child, exit } = await serve('--demo');
      const info = await client.getInfo({});
      client.disconnect();
      child.kill('SIGKILL');
      await exit;
      return info.catalogSha256;
    })();
    const name = path.join(place('records'), manifestName(catalogSha256));
    rmSync(name);
    mkdirSync(name); // no file can be moved there
    const { client, stderr } = await serve('--demo');
    expect((await client.getInfo({})).catalogSha256).toBe(catalogSha256);
    // The log comes through a pipe, and a reply through a socket can overtake it.
    await until(() =>
      stderr().includes('the manifest of the records cannot be written; episodes go on'),
    );
    expect(files()).toEqual([manifestName(catalogSha256), 'trajectories-000001.jsonl']);
  });

  test('a full disk costs the manifest, not the server', async () => {
    mkdirSync(place('records'));
    // No file of the process may grow: what a full disk is to it, without filling one.
    const script = `ulimit -f 0; trap '' XFSZ; exec "$0" "$@"`;
    const main = path.join(PACKAGE_ROOT, 'dist/src/main.js');
    const args = [main, 'serve', '--demo', '--json', '--port', '0', '--record', 'records'];
    const child = spawn('sh', ['-c', script, process.execPath, ...args], { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const ended = once(child, 'close');
    child.stdout.once('data', () => child.kill('SIGTERM'));
    expect(await ended).toEqual([0, null]);
    expect(output).toContain('"task_count":114');
    expect(output).toContain('the manifest of the records cannot be written');
    expect(files()).toEqual(['trajectories-000001.jsonl']);
  });
});

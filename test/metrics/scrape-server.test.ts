import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { BindError } from '../../src/bind-error.ts';
import { startScrapeServer, type ScrapeServer } from '../../src/metrics/scrape-server.ts';
import { ServerMetrics } from '../../src/metrics/server-metrics.ts';
import { recordingLog, until } from '../support/log.ts';
import { parseScrape } from '../support/metrics-text.ts';

const opened: { close(): Promise<void> }[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function start(render: () => Promise<string> = async () => 'sqlenv_tasks 1\n') {
  const log = recordingLog();
  const server: ScrapeServer = await startScrapeServer({
    host: '127.0.0.1',
    port: 0,
    log,
    contentType: 'text/plain; version=0.0.4',
    render,
    isServing: () => true,
  });
  opened.push(server);
  return { log, server, url: `http://127.0.0.1:${server.port}/metrics` };
}

/** A connection of somebody who speaks HTTP badly. */
async function rawSocket(port: number): Promise<{ socket: Socket; read: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  sockets.push(socket);
  await once(socket, 'connect');
  return { socket, read: () => text };
}

describe('whoever scrapes badly', () => {
  test('slowly: connections that send nothing keep nobody out, and end', async () => {
    const { server, url } = await start();
    const slow = await Promise.all(Array.from({ length: 80 }, () => rawSocket(server.port)));
    for (const { socket } of slow) socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nX-A: ');
    expect((await fetch(url)).status).toBe(200);
    // All but the newest go at once, the others when their time is over.
    await until(() => slow.filter(({ socket }) => socket.closed).length >= 48);
    const end = Date.now() + 30_000;
    while (slow.some(({ socket }) => !socket.closed) && Date.now() < end) await sleep(50);
    expect(slow.filter(({ socket }) => !socket.closed)).toEqual([]);
  });

  test('without reading: the connection ends all the same', async () => {
    const { server } = await start(async () => `${'x'.repeat(50_000_000)}\n`);
    const { socket } = await rawSocket(server.port);
    socket.pause();
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    const closed = once(socket, 'close');
    const began = Date.now();
    // What has arrived is read only at the end, so that the socket sees that it was closed.
    await sleep(12_000);
    socket.resume();
    await closed;
    expect(Date.now() - began).toBeLessThan(40_000);
    expect(socket.bytesRead).toBeLessThan(50_000_000);
  });

  test.each([
    [
      'headers that are too large',
      `GET /metrics HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431',
    ],
    ['no HTTP at all', '\u0000\u0001garbage\r\n\r\n', '400'],
    ['another path', 'GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n', '404'],
    ['another method', 'DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n', '405'],
    [
      'a body that never ends',
      'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\nx',
      '405',
    ],
  ])('with %s: it is told, and the connection ends', async (_name, request, status) => {
    const { server, url } = await start();
    const { socket, read } = await rawSocket(server.port);
    const closed = once(socket, 'close');
    socket.write(request);
    await closed;
    expect(read()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect((await fetch(url)).status).toBe(200);
  });

  test('a thousand times: the text is made a few times', async () => {
    let count = 0;
    const { url } = await start(async () => {
      count += 1;
      return 'sqlenv_tasks 1\n';
    });
    const beganMs = performance.now();
    for (let round = 0; round < 50; round += 1) {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          expect(await (await fetch(url)).text()).toBe('sqlenv_tasks 1\n');
        }),
      );
    }
    expect(count).toBeLessThanOrEqual(1 + (performance.now() - beganMs) / 100);
  });
});

describe('what is served', () => {
  test('HEAD has the headers of GET', async () => {
    const { url } = await start();
    const response = await fetch(url, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('15');
    expect(await response.text()).toBe('');
  });

  test('a number that cannot be read is an error of the scrape, and is logged', async () => {
    const { url, log } = await start(async () => {
      throw new Error('the disk is on fire');
    });
    const response = await fetch(url);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('the metrics could not be read; the log has more\n');
    expect(log.lines).toMatchObject([{ level: 'error', message: 'a scrape failed' }]);
  });

  test('two servers in one process know nothing of each other', async () => {
    const both = [new ServerMetrics(), new ServerMetrics()];
    opened.push(...both);
    const [first, second] = both;
    first?.episodes.episodeOpened();
    const read = async (metrics: ServerMetrics | undefined) =>
      parseScrape((await metrics?.render()) ?? '').get('sqlenv_episodes_opened_total');
    expect([await read(first), await read(second)]).toEqual([1, 0]);
  });

  test('a port in use throws BindError; closing twice is no error', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const metrics = new ServerMetrics();
    await expect(metrics.listen('127.0.0.1', port, recordingLog())).rejects.toThrow(BindError);
    await metrics.listen('127.0.0.1', 0, recordingLog());
    await Promise.all([metrics.close(), metrics.close()]);
    await metrics.close();
    other.close();
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMetrics, sumOf } from '../../src/loadtest/prometheus-text.ts';
import { sampleOf, ServerProbe, usageBetween } from '../../src/loadtest/server-probe.ts';

const SCRAPE = (cpu: number, steps: number, seconds: number, lag: readonly number[]) => `
# HELP process_cpu_seconds_total CPU.
process_cpu_seconds_total ${cpu}
process_resident_memory_bytes 1e8
sqlenv_event_loop_active_seconds_total ${cpu / 2}
sqlenv_event_loop_lag_seconds_bucket{le="0.01"} ${lag[0]}
sqlenv_event_loop_lag_seconds_bucket{le="0.1"} ${lag[1]}
sqlenv_event_loop_lag_seconds_bucket{le="+Inf"} ${lag[2]}
sqlenv_call_seconds_count{method="Step",status="OK"} ${steps}
sqlenv_call_seconds_sum{method="Step",status="OK"} ${seconds}
sqlenv_call_seconds_count{method="Step",status="INTERNAL"} 7
`;

describe('text format of Prometheus', () => {
  it('reads names, labels and values', () => {
    const lines = parseMetrics(
      'a 1\nb{x="1",y="a\\"b\\\\c\\nd"} 2.5e3 1700000000000\nc +Inf\nd NaN\n',
    );
    expect(lines).toEqual([
      { name: 'a', labels: {}, value: 1 },
      { name: 'b', labels: { x: '1', y: 'a"b\\c\nd' }, value: 2_500 },
      { name: 'c', labels: {}, value: Number.POSITIVE_INFINITY },
    ]);
  });

  it('takes any text without an error', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMetrics(text)));
  });

  it('adds up the lines that fit', () => {
    const lines = parseMetrics('a{x="1",y="1"} 1\na{x="1",y="2"} 2\na{x="2"} 4\n');
    expect(sumOf(lines, 'a')).toBe(7);
    expect(sumOf(lines, 'a', { x: '1' })).toBe(3);
    expect(sumOf(lines, 'b')).toBeUndefined();
  });
});

describe('what a server used', () => {
  it('is the difference of two scrapes', () => {
    const first = sampleOf(parseMetrics(SCRAPE(10, 100, 1, [5, 5, 5])), 0);
    const last = sampleOf(parseMetrics(SCRAPE(14, 300, 2, [6, 9, 9])), 4_000);
    expect(usageBetween([first, last])).toMatchObject({
      cpuS: 4,
      memoryBytesMax: 1e8,
      loopBusyShare: 0.5,
      loopLagMsMax: 100,
      meanMs: { Reset: undefined, Step: 5, Score: undefined },
    });
  });

  it('is not known of a server that was started anew in between, or from one scrape', () => {
    const first = sampleOf(parseMetrics(SCRAPE(10, 100, 1, [5, 5, 5])), 0);
    const last = sampleOf(parseMetrics(SCRAPE(1, 5, 2, [0, 0, 0])), 4_000);
    expect(usageBetween([first, last])?.cpuS).toBeUndefined();
    expect(usageBetween([first])).toBeUndefined();
  });

  it('is not known of a server without such metrics, and that is no error', () => {
    const [first, last] = [0, 1].map((at) => sampleOf(parseMetrics('up 1\n'), at));
    expect(first && last && usageBetween([first, last])).toMatchObject({ cpuS: undefined });
  });
});

describe('probe', () => {
  it('says why it has no sample', async () => {
    const server = createServer((_, response) => response.writeHead(404).end('no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = new ServerProbe(`http://127.0.0.1:${port}/metrics`);
    expect(await probe.sample()).toBeUndefined();
    expect(probe.problem).toContain('it answers 404');
    await new Promise((resolve) => server.close(resolve));
    expect(await probe.sample()).toBeUndefined();
    expect(probe.problem).toContain('ECONNREFUSED');
  });
});

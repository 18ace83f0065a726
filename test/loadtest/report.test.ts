import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clientBottlenecks } from '../../src/loadtest/bottleneck.ts';
import { compareReports } from '../../src/loadtest/compare.ts';
import type { ClientOutcome, LoadOutcome } from '../../src/loadtest/outcome.ts';
import { htmlReport } from '../../src/loadtest/report-html.ts';
import { textReport } from '../../src/loadtest/report-text.ts';
import { createReport, type LoadReport, type ReportFacts } from '../../src/loadtest/report.ts';
import { Tally } from '../../src/loadtest/tally.ts';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';

const HOSTILE = `</pre><script>document.title = 'owned'</script>"'&<img src=http://127.0.0.1:9/x onerror=alert(1)>`;

const FACTS: ReportFacts = {
  started_at: '2026-01-01T00:00:00.000Z',
  sqlenv_version: '0.1.0',
  machine: {
    node_version: 'v20',
    platform: 'linux x64',
    core_count: 2,
    cpu_model: 'a CPU',
    load_average: 0,
  },
  server: {
    address: '127.0.0.1:50051',
    own: false,
    version: '0.1.0',
    sqlite_version: '3.53.2',
    catalog_sha256: 'c',
    task_count: 10,
  },
  load: { seed: 1, prompts: 2, rollouts: 2 },
  step_seconds: 80,
};

const CLIENT: ClientOutcome = {
  cpuMs: 100,
  busyShare: 0.3,
  busyShareMax: 0.4,
  loopP99Ms: 1,
  loopMaxMs: 3,
};

function outcomeOf(tally: Tally, changes: Partial<LoadOutcome> = {}): LoadOutcome {
  return {
    end: { kind: 'complete' },
    tally,
    warmupFailureCount: 0,
    measuredMs: 1_000,
    batches: [],
    timeline: { windowS: 1, points: [] },
    clients: [CLIENT],
    server: undefined,
    serverProblem: 'nobody knows',
    planSha256: 'p',
    sourceProblems: [],
    ...changes,
  };
}

function filledTally(): Tally {
  const tally = new Tally();
  for (let index = 1; index <= 1_000; index += 1) {
    tally.time('reset', index / 10);
    tally.time('step.tool', index / 100);
    tally.time('step.answer', index / 50);
    tally.time('policy.gold', index / 100);
  }
  tally.policy('gold').endedCount = 1_000;
  tally.policy('gold').returnSum = 1_000;
  tally.endedCount = 1_000;
  tally.stepCount = 2_000;
  return tally;
}

function filledReport(changes: Partial<LoadReport> = {}): LoadReport {
  const batches = [100, 120, 110].map((wallMs, batchIndex) => ({
    batchIndex,
    wallMs,
    environmentMs: wallMs - 50,
    metrics: { 'step.p99': wallMs },
  }));
  const points = Array.from({ length: 30 }, (_, atS) => ({
    atS,
    episodeCount: 10 + atS,
    stepCount: 30,
    errorCount: 0,
    stepP50Ms: 2,
    stepP99Ms: 9 + atS,
    warmup: atS === 0,
  }));
  const outcome = outcomeOf(filledTally(), { batches, timeline: { windowS: 1, points } });
  return { ...createReport(outcome, FACTS, []), ...changes };
}

describe('text', () => {
  it('has the figures of a load', () => {
    const text = textReport(filledReport());
    expect(text).toContain('1000 episodes and 2000 steps in 1.00 s');
    expect(text).toContain('3 batches of 4 episodes: median 110 ms, max 120 ms');
    expect(text).toContain(
      'the environment takes 60 ms on top of think times: 0.075 % of a training step',
    );
    expect(text).toContain('1000 of 1000 episodes earned what their script deserves');
    expect(text).toContain('nobody knows');
    expect(text).toContain('it was not the bottleneck');
    expect(text).toContain('no call failed, no episode was lost');
  });

  it('of a load in which nothing happened is well', () => {
    const end = { kind: 'client_lost', message: 'client process 0 died' } as const;
    const outcome = outcomeOf(new Tally(), { end, measuredMs: 0, clients: [] });
    const text = textReport(createReport(outcome, FACTS, []));
    expect(text).toContain('0 episodes and 0 steps');
    expect(text).toContain('given up: client process 0 died');
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('hides no failure', () => {
    const tally = filledTally();
    tally.error('step', 'OVERLOADED', 'Step: RESOURCE_EXHAUSTED: the queue is full');
    tally.policy('gold').lostCount += 1;
    tally.wrong('gold', 'answer_time_limit:wall', 't/1: earned 0 instead of 1');
    const text = textReport(createReport(outcomeOf(tally, { warmupFailureCount: 3 }), FACTS, []));
    expect(text).toContain('1 calls failed, 1 episodes were lost');
    expect(text).toMatch(/step .* OVERLOADED .* 1 .* the queue is full/);
    expect(text).toContain(
      '1 x gold, answer_time_limit:wall; the first: t/1: earned 0 instead of 1',
    );
    expect(text).toContain('3 calls of the warm-up failed');
  });
});

describe('the client as the bottleneck', () => {
  const place = { coreCount: 2, isLocal: true };
  const server = {
    cpuS: 0.5,
    memoryBytesMax: 1,
    memoryBytesStart: 1,
    memoryBytesEnd: 1,
    loopBusyShare: 0.5,
    loopLagMsMax: 1,
    meanMs: { Reset: 1, Step: 1, Score: undefined },
  };

  it('is not suspected without a reason', () => {
    expect(clientBottlenecks(outcomeOf(filledTally(), { server }), place)).toEqual([]);
  });

  it.each([
    [
      'busy',
      { clients: [CLIENT, { ...CLIENT, busyShare: 0.9 }] },
      'client process 1 was busy for 90 %',
    ],
    ['late', { clients: [{ ...CLIENT, loopP99Ms: 45 }] }, 'client process 0 was late by 45 ms'],
    [
      'on the same cores as a busy server',
      { clients: [{ ...CLIENT, cpuMs: 900 }], server: { ...server, cpuS: 1 } },
      'client and server together used 95 % of the 2 cores',
    ],
  ])('is named when it was %s', (_, changes, message) => {
    const [reason] = clientBottlenecks(outcomeOf(filledTally(), changes), place);
    expect(reason).toContain(message);
  });
});

describe.skipIf(CHROMIUM === undefined)('page', () => {
  it('needs no network, runs nothing, and shows its plots in light and dark', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-loadtest-page-'));
    const browser = await launchChromium();
    try {
      const report = filledReport({
        errors: [{ call: 'step', reason: 'INTERNAL', count: 1, message: HOSTILE }],
        wrong_rewards: [{ policy: 'gold', verdict: 'mismatch', count: 1, message: HOSTILE }],
        client_bottlenecks: [HOSTILE],
        load: { ...FACTS.load, policies: HOSTILE },
        thresholds: [{ text: HOSTILE, value: 1, crossed: true }],
      });
      const file = path.join(folder, 'page.html');
      writeFileSync(file, htmlReport(report, compareReports(report, report)));
      const backs: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ colorScheme });
        const requests: string[] = [];
        const problems: string[] = [];
        page.on('request', (request) => requests.push(request.url()));
        page.on('pageerror', (error) => problems.push(String(error)));
        const url = pathToFileURL(file).href;
        await page.goto(url);
        expect(requests).toEqual([url]);
        expect(problems).toEqual([]);
        expect(await page.title()).toContain('Load test of 127.0.0.1:50051');
        expect(await page.locator('script, link, img, iframe').count()).toBe(0);
        expect(await page.locator('svg').count()).toBe(7);
        expect(await page.locator('svg path').count()).toBeGreaterThanOrEqual(8);
        expect(await page.locator('svg rect').count()).toBeGreaterThan(20);
        const text = await page.locator('body').innerText();
        expect(text).not.toMatch(/NaN|Infinity|undefined/);
        expect(await page.content()).not.toMatch(/NaN/);
        backs.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
        await page.close();
      }
      expect(new Set(backs).size).toBe(2);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('of a load in which nothing happened has no plots, and no error', () => {
    const page = htmlReport(
      createReport(outcomeOf(new Tally(), { measuredMs: 0, clients: [] }), FACTS, []),
      undefined,
    );
    expect(page).not.toContain('<svg');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});

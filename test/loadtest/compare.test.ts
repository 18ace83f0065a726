import { describe, expect, it } from 'vitest';
import { compareReports } from '../../src/loadtest/compare.ts';
import { parseReport, type ComparableReport } from '../../src/loadtest/report.ts';

/** A report whose figure had these values in its batches, the last one of them in all. */
function reportOf(
  name: string,
  values: readonly number[],
  changes: Partial<ComparableReport> = {},
): ComparableReport {
  const all = values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    started_at: '2026-01-01T00:00:00.000Z',
    sqlenv_version: '0.1.0',
    plan_sha256: 'a',
    machine: { core_count: 2, cpu_model: 'a CPU', load_average: 1 },
    metrics: { [name]: all },
    batches: values.map((value) => ({ metrics: { [name]: value } })),
    ...changes,
  };
}

function verdictOf(name: string, before: readonly number[], after: readonly number[]): string {
  const { changes } = compareReports(reportOf(name, before), reportOf(name, after));
  return changes[0]?.verdict ?? 'missing';
}

describe('comparison', () => {
  it('a change within 5 % is noise, however steady the batches', () => {
    expect(verdictOf('step.p99', [100, 100, 100], [105, 105, 105])).toBe('same');
    expect(verdictOf('step.p99', [100, 100, 100], [106, 106, 106])).toBe('worse');
    expect(verdictOf('step.p99', [106, 106, 106], [100, 100, 100])).toBe('better');
  });

  it('a change within twice the spread of the batches is noise', () => {
    expect(verdictOf('step.p99', [80, 100, 120], [110, 130, 150])).toBe('same');
    expect(verdictOf('step.p99', [80, 100, 120], [190, 210, 230])).toBe('worse');
  });

  it('more of a throughput is better', () => {
    expect(verdictOf('steps_per_s', [100, 100, 100], [200, 200, 200])).toBe('better');
    expect(verdictOf('steps_per_s', [200, 200, 200], [100, 100, 100])).toBe('worse');
  });

  it('without three batches on both sides only large changes count', () => {
    expect(verdictOf('batch.median', [100, 100], [120, 120, 120])).toBe('unsure');
    expect(verdictOf('batch.median', [100, 100], [130, 130, 130])).toBe('worse');
    expect(verdictOf('batch.median', [100, 100], [104, 104])).toBe('same');
  });

  it('failures have no noise', () => {
    expect(verdictOf('errors', [0, 0, 0], [1, 1, 1])).toBe('worse');
    expect(verdictOf('rewards.wrong', [1, 1, 1], [0, 0, 0])).toBe('better');
    expect(verdictOf('lost', [0, 0, 0], [0, 0, 0])).toBe('same');
  });

  it('from nothing to something is no ratio, and no division by 0', () => {
    const { changes } = compareReports(
      reportOf('queue.p50', [0, 0, 0]),
      reportOf('queue.p50', [5, 5, 5]),
    );
    expect(changes[0]).toMatchObject({ ratio: undefined, verdict: 'worse' });
  });

  it('a figure that one side does not have is left out', () => {
    const { changes } = compareReports(
      reportOf('step.p99', [1, 1, 1]),
      reportOf('reset.p99', [1, 1, 1]),
    );
    expect(changes).toEqual([]);
  });

  it('says what makes the loads hard to compare', () => {
    const { notes } = compareReports(
      reportOf('step.p99', [1]),
      reportOf('step.p99', [1], {
        plan_sha256: 'b',
        sqlenv_version: '0.2.0',
        machine: { core_count: 2, cpu_model: 'another', load_average: 9 },
      }),
    );
    expect(notes).toEqual([
      'the loads differ: other settings, seeds, tasks or numbers of batches',
      'sqlenv 0.1.0 and 0.2.0',
      'the machine was at work with other things before one of them: that is in no noise between batches',
      'machines differ: a CPU and another',
    ]);
  });
});

describe('reading a report', () => {
  it.each([
    ['', 'it is no JSON'],
    ['[]', 'it is no report'],
    ['{"format": "other"}', 'format'],
    ['{"format": "sqlenv-loadtest", "version": 2}', 'version'],
  ])('%j: %s', (text, message) => {
    expect(parseReport(text)).toContain(message);
  });

  it('takes one with more in it than it reads', () => {
    const report = { format: 'sqlenv-loadtest', version: 1, ...reportOf('a', [1]), more: true };
    expect(parseReport(JSON.stringify(report))).toMatchObject({ plan_sha256: 'a' });
  });
});

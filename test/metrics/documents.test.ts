import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ServerMetrics } from '../../src/metrics/server-metrics.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';

const metrics = new ServerMetrics();

afterAll(() => metrics.close());

function read(file: string): string {
  return readFileSync(path.join(PACKAGE_ROOT, file), 'utf8');
}

test('docs/metrics.md has a row for every metric that is scraped, in that order, and no other', async () => {
  const rows = read('docs/metrics.md')
    .split('\n')
    .filter((line) => /^\| `(sqlenv|process|nodejs)_\w+` /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const expected = metrics.families.map(({ name, type, labelNames, help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  expect(rows.map((row) => row.slice(1, -1))).toEqual(expected);
  const text = await metrics.render();
  const scraped = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [
    name,
    type,
  ]);
  expect(scraped).toEqual(metrics.families.map(({ name, type }) => [name, type]));
});

test.each(metrics.families.map((family) => [family.name, family] as const))(
  '%s is named as Prometheus names things',
  (name, { type, labelNames, help }) => {
    expect(name).toMatch(/^(sqlenv|process|nodejs)(_[a-z]+)+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(name).not.toMatch(/_(us|ms|micros|millis|kb|mb)(_|$)/);
    for (const label of labelNames) expect(label).toMatch(/^[a-z0-9_]+$/);
    expect(labelNames).not.toContain('le');
    expect(help).toMatch(/^\S.*\.$/);
  },
);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: object;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly datasource: object;
  }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly time: object;
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly definition?: string;
    }[];
  };
  readonly panels: readonly Panel[];
}

describe('docs/grafana/sqlenv.json', () => {
  const dashboard = JSON.parse(read('docs/grafana/sqlenv.json')) as Dashboard;
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');
  const targets = panels.flatMap((panel) => panel.targets ?? []);

  test('has what Grafana needs to import it', () => {
    expect(dashboard).toMatchObject({ uid: 'sqlenv', title: 'sqlenv' });
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(41);
    expect(dashboard).not.toHaveProperty('id');
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['instance', 'query'],
    ]);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('takes its data from the source that is chosen, in every panel', () => {
    const chosen = { type: 'prometheus', uid: '${datasource}' };
    for (const { datasource } of [...panels, ...targets]) expect(datasource).toEqual(chosen);
  });

  test('every panel has a title, a description and a query, and no two overlap', () => {
    const taken = new Map<string, string>();
    for (const { title, description, type, gridPos, targets: queries = [] } of dashboard.panels) {
      expect(title).not.toBe('');
      if (type !== 'row') {
        expect(description).toMatch(/\.$/);
        expect(queries.length).toBeGreaterThan(0);
        expect(new Set(queries.map(({ refId }) => refId)).size).toBe(queries.length);
      }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x},${y}`), `${title} overlaps`).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  test('every expression is over metrics and labels that exist', () => {
    expect(targets.length).toBeGreaterThan(40);
    const labels = new Map<string, readonly string[]>();
    for (const { name, type, labelNames } of metrics.families) {
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      for (const suffix of suffixes) {
        labels.set(name + suffix, [...labelNames, ...(suffix === '_bucket' ? ['le'] : [])]);
      }
    }
    const used = new Set<string>();
    for (const { expr } of targets) {
      const names = [...expr.matchAll(/\b(?:sqlenv|process|nodejs)_\w+/g)].map(([name]) => name);
      expect(names.length, expr).toBeGreaterThan(0);
      const allowed = new Set(['instance']);
      for (const name of names) {
        expect(labels.has(name), `${name} in ${expr}`).toBe(true);
        for (const label of labels.get(name) ?? []) allowed.add(label);
        used.add(name.replace(/_(bucket|sum|count)$/, ''));
      }
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
        list.split(', '),
      );
      const matched = [...expr.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label);
      for (const label of [...grouped, ...matched]) {
        expect(allowed.has(label), `${label} in ${expr}`).toBe(true);
      }
      expect(expr.split('(').length).toBe(expr.split(')').length);
      expect(expr).toContain('{instance=~"$instance"');
    }
    const unseen = metrics.families.map(({ name }) => name).filter((name) => !used.has(name));
    expect(unseen).toEqual(['sqlenv_tasks', 'sqlenv_databases']);
  });
});

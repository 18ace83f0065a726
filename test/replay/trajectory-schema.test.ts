import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { hasSummary } from '../../src/replay/episode-summary.ts';
import { readTrajectory, TrajectorySchema } from '../../src/replay/trajectory-schema.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type SchemaNode = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
};

const schema = JSON.parse(
  readFileSync(path.join(PACKAGE_ROOT, 'docs/trajectory.schema.json'), 'utf8'),
) as SchemaNode;
const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema);

let records: Trajectory[];

beforeAll(async () => {
  const forked = (record: Trajectory): Trajectory => ({
    ...record,
    parent: { episode_id: 'closed', step_index: 1 },
  });
  const [plain, withGold] = [
    await playRecords(ALL_KINDS, false),
    await playRecords(ALL_KINDS, true),
  ];
  records = [...plain, ...withGold, ...withGold.slice(0, 2).map(forked)];
});

const messageOf = (line: string): string => {
  const read = readTrajectory(line);
  return read.kind === 'problem' ? read.message : '';
};
const copy = (): { [key: string]: Json } =>
  structuredClone(records[0]) as unknown as { [key: string]: Json };
const changed = (change: (record: { [key: string]: Json }) => void): string => {
  const record = copy();
  change(record);
  return JSON.stringify(record);
};

describe('real records', () => {
  test('are of all kinds', () => {
    const all = <T>(values: (record: Trajectory) => T[]) => new Set(records.flatMap(values));
    expect(all((record) => [record.end])).toEqual(
      new Set(['terminated', 'truncated', 'closed', 'expired', 'abandoned']),
    );
    expect(all((record) => record.steps.map((step) => step.action.kind)).size).toBe(3);
    expect(
      all((record) => record.steps.flatMap((step) => step.queries.map((query) => query.status))),
    ).toEqual(
      new Set([
        'ok',
        'sql_error',
        'forbidden',
        'time_limit',
        'unparsed',
        'invalid_arguments',
        'unknown_tool',
      ]),
    );
    expect(all((record) => [record.grade?.verdict ?? 'none'])).toEqual(
      new Set([
        'none',
        'match',
        'mismatch',
        'answer_missing',
        'answer_sql_error',
        'answer_forbidden',
      ]),
    );
    expect(all((record) => [record.gold_sql === undefined])).toEqual(new Set([true, false]));
  });

  test('are accepted by both schemas, and come back as they were', () => {
    for (const record of records) {
      expect(validate(record), JSON.stringify(validate.errors)).toBe(true);
      expect(hasSummary(record)).toBe(true);
      const line = JSON.stringify(record);
      const read = readTrajectory(line);
      expect(read.kind === 'trajectory' ? JSON.stringify(read.trajectory) : read.message).toBe(
        line,
      );
    }
  });

  test('have no key that the JSON schema does not describe', () => {
    for (const record of records) expect(undescribed(record, schema, '')).toEqual([]);
  });
});

test('every key in the JSON schema has a description', () => {
  const missing: string[] = [];
  const walk = (node: SchemaNode, place: string): void => {
    for (const [key, inner] of Object.entries(node.properties ?? {})) {
      if (resolve(inner).description === undefined) missing.push(`${place}.${key}`);
      walk(inner, `${place}.${key}`);
    }
    for (const inner of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) walk(inner, place);
  };
  walk(schema, '');
  for (const [name, node] of Object.entries(schema.$defs ?? {})) walk(node, name);
  expect(missing).toEqual([]);
});

describe('both schemas agree', () => {
  test('on records of which anything has been changed', () => {
    const values: fc.Arbitrary<Json> = fc.oneof(
      fc.constantFrom<Json>(
        ...[null, true, '', 'x', 0, -0, 1, -1, 1.5, 2 ** 53, 2 ** 53 - 1, 1e300, [], {}],
        ...['terminated', 'tool', 'eval', 'strict', 'final_text', 'a'.repeat(64), 'A'.repeat(64)],
        ...['2024-02-30T00:00:00.000Z', '2024-13-01T00:00:00.000Z', '2024-01-01T00:00:00Z\n'],
      ),
      fc.jsonValue() as fc.Arbitrary<Json>,
    );
    const [seen, agreed] = [new Set<boolean>(), { count: 0 }];
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(2), values, (which, place, how, value) => {
        const record = structuredClone(records[which % records.length]) as unknown as Json;
        change(record, place, how, value);
        const accepted = validate(record);
        expect(TrajectorySchema.safeParse(record).success, JSON.stringify(record)).toBe(accepted);
        // What is listed is asked for less: nothing that is a record may be missing from a list.
        if (accepted) expect(hasSummary(record)).toBe(true);
        seen.add(accepted);
        agreed.count += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(seen.size).toBe(2);
    expect(agreed.count).toBeGreaterThanOrEqual(3_000);
  });

  test('on what is no record at all', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(TrajectorySchema.safeParse(value).success).toBe(validate(value));
        expect(hasSummary(value)).toBe(false);
        expect(readTrajectory(JSON.stringify(value)).kind).toBe('problem');
      }),
    );
  });
});

describe('what is wrong is said', () => {
  test('with a line that is not JSON, or no object', () => {
    expect(messageOf('{"version": 1, ')).toMatch(/^it is not JSON \(/);
    expect(messageOf('[]')).toBe('it is JSON, but not an object');
    expect(messageOf('null')).toBe('it is JSON, but not an object');
    expect(messageOf('{"task_id": "t"}')).toBe('it is no trajectory: it has no version');
  });

  test('with a version that this program does not know', () => {
    const newer = changed((record) => (record['version'] = 2));
    expect(messageOf(newer)).toBe('it is a trajectory of version 2, written by a newer sqlenv');
    const odd = changed((record) => (record['version'] = '1'));
    expect(messageOf(odd)).toBe('it is no trajectory: its version is not 1');
  });

  test('with the key that is wrong or missing', () => {
    expect(messageOf(changed((record) => delete record['task_id']))).toContain(
      'task_id: it is missing',
    );
    expect(messageOf(changed((record) => (record['gold_sha256'] = 'x')))).toContain(
      'gold_sha256: it must be a SHA-256',
    );
    const message = messageOf(
      changed((record) => {
        const [step] = record['steps'] as { queries: { status: Json }[] }[];
        if (step?.queries[0] !== undefined) step.queries[0].status = 3;
        record['question'] = null;
      }),
    );
    expect(message).toContain('question');
    expect(message).toContain('and 1 more key');
  });

  test('with steps that are not in order', () => {
    const swapped = changed((record) => (record['steps'] as Json[]).reverse());
    expect(messageOf(swapped)).toContain('steps.0.step_index');
  });

  test('and unknown keys are nothing wrong', () => {
    expect(readTrajectory(changed((record) => (record['new_key'] = [1]))).kind).toBe('trajectory');
  });
});

function resolve(node: SchemaNode): SchemaNode {
  if (node.$ref === undefined) return node;
  const name = node.$ref.replace('#/$defs/', '');
  return { ...schema.$defs?.[name], ...node };
}

function undescribed(value: unknown, given: SchemaNode, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const node = resolve(given);
  if (Array.isArray(value)) {
    return value.flatMap((inner) => undescribed(inner, node.items ?? {}, `${place}[]`));
  }
  const alternatives = [...(node.anyOf ?? []), ...(node.oneOf ?? [])].map(resolve);
  const properties = Object.assign(
    { ...node.properties },
    ...alternatives.map((one) => one.properties),
  ) as Record<string, SchemaNode>;
  return Object.entries(value).flatMap(([key, inner]) => {
    const inside = properties[key] ?? node.additionalProperties;
    return inside === undefined
      ? [`${place}.${key}`]
      : undescribed(inner, inside, `${place}.${key}`);
  });
}

/** Changes one place of a value: removes a key, puts another value there, or adds a key. */
function change(value: Json, place: number, how: number, replacement: Json): void {
  const places: [Json[] | { [key: string]: Json }, string][] = [];
  const walk = (inner: Json): void => {
    if (typeof inner !== 'object' || inner === null) return;
    for (const [key, deeper] of Object.entries(inner)) {
      places.push([inner, key]);
      walk(deeper);
    }
  };
  walk(value);
  const [container, key] = places[place % places.length] ?? [{}, ''];
  const target = container as Record<string, Json>;
  if (how === 0 && !Array.isArray(container)) delete target[key];
  else if (how === 2 && !Array.isArray(container)) target['another_key'] = replacement;
  else target[key] = replacement;
}

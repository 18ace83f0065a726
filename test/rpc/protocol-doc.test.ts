import { readFileSync } from 'node:fs';
import path from 'node:path';
import { status as Status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { ERROR_REASONS } from '../../src/errors.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { STATUS_BY_REASON } from '../../src/rpc/status.ts';

const read = (file: string): string => readFileSync(path.join(PACKAGE_ROOT, file), 'utf8');

test('the reasons are those of error.proto, in its order', () => {
  const names = [...read('proto/sqlenv/v1/error.proto').matchAll(/^ {2}ERROR_REASON_(\w+) = /gm)];
  expect(names.map(([, name]) => name)).toEqual([...ERROR_REASONS]);
});

test('each has the status that error.proto gives it', () => {
  const proto = read('proto/sqlenv/v1/error.proto');
  for (const [, code, reason] of proto.matchAll(
    /\/\/ ([A-Z_]+): .*\n(?: {2}\/\/.*\n)* {2}ERROR_REASON_(\w+)/g,
  )) {
    const status = STATUS_BY_REASON[reason as keyof typeof STATUS_BY_REASON];
    expect([reason, Status[status]]).toEqual([reason, code]);
  }
});

test('docs/protocol.md has a row for each, with its status', () => {
  const rows = [...read('docs/protocol.md').matchAll(/^\| `([A-Z_]+)` +\| (?:`([A-Z_]+)`)? *\|/gm)];
  const table = Object.fromEntries(rows.map(([, reason = '', code]) => [reason, code]));
  for (const reason of ERROR_REASONS) {
    const expected = reason === 'UNSPECIFIED' ? undefined : Status[STATUS_BY_REASON[reason]];
    expect([reason, reason in table, table[reason]]).toEqual([reason, true, expected]);
  }
});

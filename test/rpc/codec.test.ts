import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD_LIMITS, LIMIT_RANGES, type EpisodeLimits } from '../../env/limits.ts';
import { utf8Size } from '../../env/utf8.ts';
import { ServerError } from '../../src/errors.ts';
import type { ResetRequest__Output } from '../../src/generated/sqlenv/v1/ResetRequest.ts';
import type { StepRequest__Output } from '../../src/generated/sqlenv/v1/StepRequest.ts';
import type { StepResponse__Output } from '../../src/generated/sqlenv/v1/StepResponse.ts';
import {
  decodeListTasks,
  decodeReset,
  decodeRunSql,
  decodeScore,
  decodeStep,
} from '../../src/rpc/decode.ts';
import { encodeStep } from '../../src/rpc/encode.ts';
import { snakeCase } from '../../src/rpc/fields.ts';
import { PROTO } from '../../src/rpc/load-proto.ts';

const methods = PROTO.sqlenv.v1.EnvironmentService.service;

/** A request as it arrives: through the wire and back. */
function received<R>(
  name: 'Reset' | 'Step' | 'Score' | 'RunSql' | 'ListTasks',
  request: object,
): R {
  const method = methods[name] as {
    requestSerialize: (value: object) => Buffer;
    requestDeserialize: (bytes: Buffer) => unknown;
  };
  return method.requestDeserialize(method.requestSerialize(request)) as R;
}

function problemOf(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    expect((error as ServerError).reason).toBe('INVALID_FIELD');
    return (error as ServerError).message;
  }
  return 'fine';
}

const RESET = { episodeId: 'e', taskId: 't' };
const reset = (changes: object) => decodeReset(received('Reset', { ...RESET, ...changes }));
const step = (changes: object) =>
  decodeStep(received('Step', { episodeId: 'e', stepIndex: 0, ...changes }));

describe('what is left out takes the default', () => {
  test('Reset', () => {
    expect(reset({})).toEqual({
      episodeId: 'e',
      task: { kind: 'named', taskId: 't' },
      limits: {},
      observation: {},
      mode: 'train',
      groupId: '',
      labels: {},
      promptStyle: undefined,
      onMalformed: undefined,
      score: {},
      goldSha256: '',
    });
  });

  test('an observation size of 0 is a size, an absent one is not', () => {
    expect(reset({ observation: { textSizeMax: 0 } }).observation).toEqual({ textSizeMax: 0 });
    expect(reset({ observation: {} }).observation).toEqual({});
  });

  test('an inline task without a name', () => {
    const inlineTask = { databaseId: 'd', question: 'q', goldSql: 'g' };
    expect(reset({ taskId: undefined, inlineTask }).task).toMatchObject({ taskId: 'inline' });
  });

  test('a page', () => {
    expect(decodeListTasks(received('ListTasks', {}))).toMatchObject({ pageSize: 100 });
  });
});

describe('limits', () => {
  test.each(Object.entries(LIMIT_RANGES))('%s at both ends and beyond', (name, { min, max }) => {
    const field = `limits.${snakeCase(name)}`;
    const limits = (value: number) => () => reset({ limits: { [name]: value } });
    expect(limits(min)().limits).toEqual({ [name]: min });
    expect(limits(max)().limits).toEqual({ [name]: max });
    expect(limits(0)().limits).toEqual({});
    for (const value of [max + 1, 2 ** 32 - 1, ...(min > 1 ? [min - 1] : [])]) {
      expect(problemOf(limits(value))).toBe(
        `${field}: ${value} is not allowed; it must be ${min} to ${max}, or 0 for the default`,
      );
    }
  });

  test('have the names of the proto', () => {
    const names = Object.keys(LIMIT_RANGES).toSorted();
    const wire = received<ResetRequest__Output>('Reset', { ...RESET, limits: {} }).limits;
    expect(Object.keys(wire as EpisodeLimits).toSorted()).toEqual(names);
  });

  test('page_size', () => {
    const page = (pageSize: number) => () => decodeListTasks(received('ListTasks', { pageSize }));
    expect(page(1_000)().pageSize).toBe(1_000);
    expect(problemOf(page(1_001))).toMatch(/^page_size: 1001 is not allowed/);
  });
});

const { idBytesMax, labelBytesMax, sqlBytesMax, questionBytesMax } = FIELD_LIMITS;
const { assistantTextBytesMax, argumentsBytesMax, labelCountMax } = FIELD_LIMITS;

describe('sizes are UTF-8 bytes', () => {
  const inline = (changes: object) => () =>
    reset({
      taskId: undefined,
      inlineTask: { databaseId: 'd', question: 'q', goldSql: 'g', ...changes },
    });
  const rows: [string, number, (text: string) => () => unknown][] = [
    ['episode_id', idBytesMax, (text) => () => reset({ episodeId: text })],
    ['task_id', idBytesMax, (text) => () => reset({ taskId: text })],
    ['group_id', idBytesMax, (text) => () => reset({ groupId: text })],
    ['inline_task.task_id', idBytesMax, (text) => inline({ taskId: text })],
    ['inline_task.database_id', idBytesMax, (text) => inline({ databaseId: text })],
    ['inline_task.question', questionBytesMax, (text) => inline({ question: text })],
    ['inline_task.gold_sql', sqlBytesMax, (text) => inline({ goldSql: text })],
    ['labels (a key)', labelBytesMax, (text) => () => reset({ labels: { [text]: '' } })],
    ['labels["k"]', labelBytesMax, (text) => () => reset({ labels: { k: text } })],
    ['assistant_text', assistantTextBytesMax, (text) => () => step({ assistantText: text })],
    ['final_text', assistantTextBytesMax, (text) => () => step({ finalText: text })],
    ['tool_call.name', argumentsBytesMax, (text) => () => step({ toolCall: { name: text } })],
    [
      'tool_call.arguments_json',
      argumentsBytesMax,
      (text) => () => step({ toolCall: { argumentsJson: text } }),
    ],
    [
      'query',
      sqlBytesMax,
      (text) => () => decodeRunSql(received('RunSql', { databaseId: 'd', query: text })),
    ],
    [
      'arguments_json',
      argumentsBytesMax,
      (text) => () => decodeRunSql(received('RunSql', { databaseId: 'd', argumentsJson: text })),
    ],
    [
      'sql',
      sqlBytesMax,
      (text) => () => decodeScore(received('Score', { taskId: 't', sql: text })),
    ],
    [
      'completion',
      assistantTextBytesMax,
      (text) => () => decodeScore(received('Score', { taskId: 't', completion: text })),
    ],
  ];

  test.each(rows)('%s at max - 1, max, max + 1', (field, bytesMax, decode) => {
    for (const unit of ['x', 'é']) {
      const size = utf8Size(unit);
      const text = (bytes: number): string =>
        unit.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes % size);
      expect(problemOf(decode(text(bytesMax - 1)))).toBe('fine');
      expect(problemOf(decode(text(bytesMax)))).toBe('fine');
      expect(problemOf(decode(text(bytesMax + 1)))).toBe(
        `${field}: ${bytesMax + 1} bytes are too many; at most ${bytesMax} are allowed`,
      );
    }
  });

  test('the number of labels', () => {
    const labels = (count: number) => () =>
      reset({ labels: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, ''])) });
    expect(problemOf(labels(labelCountMax))).toBe('fine');
    expect(problemOf(labels(labelCountMax + 1))).toMatch(/^labels: 33 are too many/);
  });
});

describe('what is missing or not known is named', () => {
  const rows: [string, RegExp, () => unknown][] = [
    ['episode_id', /^episode_id: it is missing; 1 to 200 bytes/, () => reset({ episodeId: '' })],
    [
      'task',
      /^task: it is missing; exactly one of task_id, inline_task must be set/,
      () => decodeReset(received('Reset', { episodeId: 'e' })),
    ],
    [
      'action',
      /^action: it is missing; exactly one of assistant_text, tool_call, final_text/,
      () => step({}),
    ],
    [
      'two actions',
      /^action: 2 are set; exactly one/,
      () => step({ assistantText: 'a', finalText: 'b' }),
    ],
    ['answer', /^answer: it is missing/, () => decodeScore(received('Score', { taskId: 't' }))],
    ['input', /^input: it is missing/, () => decodeRunSql(received('RunSql', { databaseId: 'd' }))],
    [
      'mode',
      /^mode: 7 is not known; it must be one of EPISODE_MODE_TRAIN/,
      () => reset({ mode: 7 }),
    ],
    ['side', /^observation.truncate_side: 9/, () => reset({ observation: { truncateSide: 9 } })],
    ['guard', /^score.guard: 9 is not known/, () => reset({ score: { guard: 9 } })],
    ['prompt_style', /^prompt_style: 9/, () => reset({ promptStyle: 9 })],
    ['on_malformed', /^on_malformed: 9/, () => reset({ onMalformed: 9 })],
    [
      'comparison_mode',
      /^score.comparison_mode: "bag@2" is not known; it must be one of bag@1, set@1, rows@1/,
      () => reset({ score: { comparisonMode: 'bag@2' } }),
    ],
    [
      'comparison_modes',
      /^comparison_modes\[1\]: "x"/,
      () =>
        decodeScore(received('Score', { taskId: 't', sql: 's', comparisonModes: ['set@1', 'x'] })),
    ],
    ['gold_sha256', /^gold_sha256: it must be empty or 64/, () => reset({ goldSha256: 'ABC' })],
  ];

  test.each(rows)('%s', (_name, problem, decode) => {
    expect(problemOf(decode)).toMatch(problem);
  });
});

describe('round trips', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const words = fc.string({ unit: 'grapheme', maxLength: 200 });

  test('any action arrives as it was sent', () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant('assistant_text' as const), text: words }),
      fc.record({ kind: fc.constant('final_text' as const), text: words }),
      fc.record({ kind: fc.constant('tool_call' as const), name: words, argumentsJson: words }),
    );
    fc.assert(
      fc.property(
        id,
        fc.nat(4_294_967_295),
        action,
        fc.nat(9_999),
        (episodeId, stepIndex, did, n) => {
          const { kind, ...fields } = did;
          const wire =
            kind === 'tool_call'
              ? { toolCall: fields }
              : { [kind === 'final_text' ? 'finalText' : 'assistantText']: did.text };
          const decoded = decodeStep(
            received<StepRequest__Output>('Step', {
              episodeId,
              stepIndex,
              completionTokenCount: n,
              ...wire,
            }),
          );
          expect(decoded).toEqual({ episodeId, stepIndex, action: did, completionTokenCount: n });
        },
      ),
    );
  });

  test('any outcome arrives as it was, lone surrogates escaped', () => {
    const text = fc.string({ unit: 'binary', maxLength: 50 });
    const escaped = (value: string): string =>
      value.replace(/[\ud800-\udfff]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    const count = fc.nat(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(
        text,
        text,
        count,
        fc.boolean(),
        fc.double({ noNaN: true }),
        (a, b, n, flag, r) => {
          const query = {
            status: 'sql_error',
            sql: a,
            rowCount: n,
            capped: flag,
            textTruncated: !flag,
            textSize: n,
            queryCpuUs: n,
            queryUs: n,
            queueUs: n,
            timeLimit: flag ? 'cpu' : 'none',
          } as const;
          const grade = {
            comparisonMode: 'rows@1',
            verdict: 'answer_time_limit',
            matched: flag,
            reward: r,
            flags: ['both_empty', 'wall_backstop'],
            answerSql: a,
            errorText: b,
            answerQuery: flag ? query : undefined,
            goldRowCount: n,
          } as const;
          const bytes = methods.Step.responseSerialize(
            encodeStep({
              stepIndex: 7,
              messages: [{ role: 'tool', content: b }],
              reward: r,
              terminated: flag,
              terminationReason: flag ? 'malformed_call' : undefined,
              truncated: !flag,
              truncationReason: flag ? undefined : 'token_limit',
              queries: [query],
              grade,
              ignoredCallCount: 3,
              episodeReturn: r,
              completionTokenCount: 9,
            }),
          );
          const wire = methods.Step.responseDeserialize(bytes) as StepResponse__Output;
          const sent = {
            ...query,
            sql: escaped(a),
            status: 'QUERY_STATUS_SQL_ERROR',
            timeLimit: flag ? 'TIME_LIMIT_CPU' : 'TIME_LIMIT_UNSPECIFIED',
          };
          expect(wire).toMatchObject({
            stepIndex: 7,
            messages: [{ role: 'tool', content: escaped(b) }],
            reward: r,
            terminated: flag,
            terminationReason: flag
              ? 'TERMINATION_REASON_MALFORMED_CALL'
              : 'TERMINATION_REASON_UNSPECIFIED',
            truncationReason: flag
              ? 'TRUNCATION_REASON_UNSPECIFIED'
              : 'TRUNCATION_REASON_TOKEN_LIMIT',
            queries: [sent],
            grade: {
              comparisonMode: 'rows@1',
              verdict: 'VERDICT_ANSWER_TIME_LIMIT',
              flags: ['SCORE_FLAG_BOTH_EMPTY', 'SCORE_FLAG_WALL_BACKSTOP'],
              answerSql: escaped(a),
              errorText: escaped(b),
              answerQuery: flag ? sent : null,
              goldRowCount: n,
            },
          });
        },
      ),
    );
  });

  test('SQL over the limit, which never ran, is not sent back', () => {
    const query = {
      status: 'invalid_arguments',
      sql: 'x'.repeat(sqlBytesMax + 1),
      rowCount: 0,
      capped: false,
      textTruncated: false,
      textSize: 0,
      queryCpuUs: 0,
      queryUs: 0,
      queueUs: 0,
      timeLimit: 'none',
    } as const;
    const outcome = {
      stepIndex: 0,
      messages: [],
      reward: 0,
      terminated: false,
      terminationReason: undefined,
      truncated: false,
      truncationReason: undefined,
      queries: [query],
      grade: undefined,
      ignoredCallCount: 0,
      episodeReturn: 0,
      completionTokenCount: 0,
    };
    expect(encodeStep(outcome).queries?.[0]?.sql).toBe('');
  });
});

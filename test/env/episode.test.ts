import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../env/action.ts';
import { applyAnswer, applyCalls, planStep, TRANSCRIPT_SIZE_MAX } from '../../env/episode.ts';
import { missingAnswer } from '../../env/reward.ts';
import {
  begin,
  call,
  fence,
  final,
  judge,
  MALFORMED,
  play,
  reply,
  takeStep,
  toolCall,
  turn,
  UNKNOWN,
} from './episode-fixtures.ts';

const GOES_ON = {
  terminated: false,
  terminationReason: undefined,
  truncated: false,
  truncationReason: undefined,
  grade: undefined,
  reward: 0,
};
const terminated = (terminationReason: string) => ({
  terminated: true,
  terminationReason,
  truncated: false,
  truncationReason: undefined,
});
const truncated = (truncationReason: string) => ({
  terminated: false,
  terminationReason: undefined,
  truncated: true,
  truncationReason,
});
const UNANSWERED = { verdict: 'answer_missing', matched: false, reward: 0, answerSql: '' };

describe('a turn with tool calls', () => {
  it('runs a call and goes on', () => {
    const { outcome, state, plan } = takeStep(begin(), turn(`Let me see.\n${call('SELECT 1')}`), 7);
    expect(plan).toMatchObject({ kind: 'calls', calls: [{ kind: 'run', sql: 'SELECT 1' }] });
    expect(outcome).toEqual({
      ...GOES_ON,
      stepIndex: 0,
      messages: [{ role: 'tool', content: 'rows of SELECT 1' }],
      queries: [reply('SELECT 1').query],
      ignoredCallCount: 0,
      episodeReturn: 0,
      completionTokenCount: 7,
    });
    expect(state).toMatchObject({ stepCount: 1, ended: false, completionTokenCount: 7 });
  });

  it('runs the first of two calls only, as verl does, and says that it ignored one', () => {
    const { outcome } = takeStep(begin(), turn(call('SELECT 1') + call('SELECT 2')));
    expect(outcome).toMatchObject({ ignoredCallCount: 1, queries: [{ sql: 'SELECT 1' }] });
  });

  it('runs as many calls as the limit allows', () => {
    const text = turn([1, 2, 3, 4].map((n) => call(`SELECT ${n}`)).join('\n'));
    const { outcome } = takeStep(begin({ limits: { parallelCallCountMax: 3 } }), text);
    expect(outcome.queries.map((query) => query.sql)).toEqual(['SELECT 1', 'SELECT 2', 'SELECT 3']);
    expect(outcome.messages.map((message) => message.content)).toEqual([
      'rows of SELECT 1',
      'rows of SELECT 2',
      'rows of SELECT 3',
    ]);
    expect(outcome.ignoredCallCount).toBe(1);
  });

  it('runs the good one of a bad and a good call', () => {
    const { outcome } = takeStep(begin(), turn(MALFORMED + call('SELECT 1')));
    expect(outcome).toMatchObject({
      ...GOES_ON,
      ignoredCallCount: 1,
      queries: [{ sql: 'SELECT 1' }],
    });
  });

  it('prefers a call over a fence', () => {
    const { plan } = takeStep(begin(), turn(`${fence('RIGHT')}\n${call('SELECT 1')}`));
    expect(plan.kind).toBe('calls');
  });

  it('answers calls that can not run without running anything', () => {
    const text = turn(
      `${UNKNOWN}<tool_call>{"name": "run_sql", "arguments": {"sql": 1}}</tool_call>${call('SELECT 1')}`,
    );
    const { outcome } = takeStep(begin({ limits: { parallelCallCountMax: 3 } }), text);
    expect(outcome.messages.map((message) => message.content)).toEqual([
      "Unknown function 'runsql'. Available tools: ['run_sql']",
      '{"error": "invalid arguments for run_sql: the field \'query\' is missing"}',
      'rows of SELECT 1',
    ]);
    expect(outcome.queries.map((query) => [query.status, query.sql])).toEqual([
      ['unknown_tool', ''],
      ['invalid_arguments', ''],
      ['ok', 'SELECT 1'],
    ]);
  });

  it('shortens the texts of refused calls, but that of an unknown tool, which verl leaves alone', () => {
    const name = 'x'.repeat(300);
    const rules = { observation: { textSizeMax: 20 } };
    const [unknown] = play(begin(rules), toolCall('{}', name));
    expect(unknown?.messages[0]?.content).toContain(name);
    expect(unknown?.queries[0]).toMatchObject({ textTruncated: false, textSize: 349 });
    const [missing] = play(begin(rules), toolCall('{}'));
    expect(missing?.messages[0]?.content).toBe('{"error": ...(truncated)... missing"}');
    expect(missing?.queries[0]).toMatchObject({ textTruncated: true, textSize: 72 });
  });
});

describe('a turn without tool calls', () => {
  it('is the final answer', () => {
    const { outcome, state } = takeStep(begin(), turn(`It is:\n${fence('RIGHT')}`));
    expect(outcome).toMatchObject({ ...terminated('answer'), messages: [], queries: [] });
    expect(outcome).toMatchObject({ reward: 1, episodeReturn: 1, ignoredCallCount: 0 });
    expect(outcome.grade).toMatchObject({ verdict: 'match', matched: true, answerSql: 'RIGHT' });
    expect(state.ended).toBe(true);
  });

  it('scores a wrong answer 0', () => {
    const [outcome] = play(begin(), turn(fence('WRONG')));
    expect(outcome).toMatchObject({ reward: 0, grade: { verdict: 'mismatch', matched: false } });
  });

  it('takes no answer for an answer', () => {
    const { outcome, plan } = takeStep(begin(), turn(''));
    expect(plan).toMatchObject({ kind: 'answer', answerSql: undefined });
    expect(outcome).toMatchObject({ ...terminated('answer'), grade: UNANSWERED });
    const [strict] = play(begin({ score: { fallback: 'none' } }), turn('SELECT 1'));
    expect(strict).toMatchObject({ ...terminated('answer'), grade: UNANSWERED });
  });

  it('takes the reward of a suspect match under the strict guard', () => {
    const state = begin({ score: { guard: 'strict' } });
    const plan = planStep(state, turn('RIGHT'), 0);
    if (plan.kind !== 'answer') throw new Error('no answer');
    const judgement = { ...judge('RIGHT'), flags: ['both_empty'] as const };
    expect(applyAnswer(state, plan, judgement).outcome).toMatchObject({
      reward: 0,
      episodeReturn: 0,
      grade: { matched: true, reward: 0 },
    });
  });
});

describe('a turn whose only call is malformed', () => {
  it.each([
    ['cut JSON', MALFORMED],
    ['no end tag', '<tool_call>{"name": "run_sql", "arguments": {"query": "SELECT 1"}}'],
    [
      'another key',
      '<tool_call>{"name": "run_sql", "parameters": {"query": "SELECT 1"}}</tool_call>',
    ],
  ])('ends the episode as in verl: %s', (_, text) => {
    const { outcome } = takeStep(begin(), turn(`${fence('RIGHT')}${text}`));
    expect(outcome).toMatchObject({
      ...terminated('malformed_call'),
      messages: [],
      ignoredCallCount: 1,
      reward: 1,
      grade: { answerSql: 'RIGHT' },
    });
  });

  it('is told so under `observe`, and the episode goes on', () => {
    const { outcome, state } = takeStep(
      begin({ onMalformed: 'observe' }),
      turn(MALFORMED + MALFORMED),
    );
    expect(outcome).toMatchObject({ ...GOES_ON, ignoredCallCount: 1 });
    expect(outcome.queries).toMatchObject([{ status: 'unparsed', sql: '' }]);
    expect(outcome.messages).toEqual([
      {
        role: 'tool',
        content:
          '{"error": "malformed tool call: it must be one JSON object with a string \\"name\\" and an ' +
          'object \\"arguments\\", and its tag must be closed"}',
      },
    ]);
    expect(state.invalidCallCount).toBe(1);
  });
});

describe('invalid calls in a row', () => {
  const rules = { limits: { invalidCallCountMax: 3 }, onMalformed: 'observe' as const };
  const bad = [turn(MALFORMED), turn(UNKNOWN), toolCall('not JSON')];

  it('truncate the episode at the limit, unanswered', () => {
    const outcomes = play(begin(rules), ...bad);
    expect(outcomes.slice(0, 2)).toMatchObject([GOES_ON, GOES_ON]);
    expect(outcomes[2]).toMatchObject({
      ...truncated('invalid_call_limit'),
      reward: 0,
      grade: UNANSWERED,
    });
    expect(outcomes[2]?.messages).toHaveLength(1);
  });

  it('do not count after a call that runs', () => {
    const outcomes = play(begin(rules), ...bad.slice(0, 2), turn(call('SELECT 1')), ...bad);
    expect(outcomes.map((outcome) => outcome.truncated)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('count within one turn too, and those after the limit are ignored', () => {
    const limits = { invalidCallCountMax: 2, parallelCallCountMax: 5 };
    const [outcome] = play(begin({ limits }), turn(UNKNOWN + UNKNOWN + UNKNOWN + call('SELECT 1')));
    expect(outcome).toMatchObject({ ...truncated('invalid_call_limit'), ignoredCallCount: 2 });
    expect(outcome?.queries).toHaveLength(2);
  });

  it('end the episode at once with a limit of 1', () => {
    const [outcome] = play(begin({ limits: { invalidCallCountMax: 1 } }), turn(UNKNOWN));
    expect(outcome).toMatchObject(truncated('invalid_call_limit'));
  });
});

describe('the step limit', () => {
  const rules = (stepCountMax: number) => begin({ limits: { stepCountMax } });

  it('runs calls before the last step only: 3 steps, 2 calls, as in verl', () => {
    const outcomes = play(rules(3), ...['A', 'B', 'C'].map((sql) => turn(call(sql))));
    expect(outcomes.slice(0, 2)).toMatchObject([GOES_ON, GOES_ON]);
    expect(outcomes[2]).toMatchObject({
      ...truncated('step_limit'),
      messages: [],
      queries: [],
      ignoredCallCount: 1,
    });
  });

  it('scores the last turn as the answer, truncated if it held a call', () => {
    const [held] = play(rules(1), turn(`${fence('RIGHT')}\n${call('SELECT 1')}`));
    expect(held).toMatchObject({ ...truncated('step_limit'), reward: 1, ignoredCallCount: 1 });
    const [malformed] = play(rules(1), turn(`${fence('RIGHT')}\n${MALFORMED}`));
    expect(malformed).toMatchObject({ ...truncated('step_limit'), reward: 1 });
    const [plain] = play(rules(1), turn(fence('RIGHT')));
    expect(plain).toMatchObject({ ...terminated('answer'), reward: 1 });
  });

  it('does not reach a turn before the last', () => {
    const outcomes = play(rules(2), turn(call('A')), turn(fence('RIGHT')));
    expect(outcomes).toMatchObject([GOES_ON, { ...terminated('answer'), stepIndex: 1 }]);
  });

  it('runs a call that the caller has parsed even on the last step, and ends unanswered', () => {
    const outcomes = play(rules(2), toolCall('{"query": "A"}'), toolCall('{"query": "B"}'));
    expect(outcomes[0]).toMatchObject(GOES_ON);
    expect(outcomes[1]).toMatchObject({
      ...truncated('step_limit'),
      messages: [{ role: 'tool', content: 'rows of B' }],
      grade: UNANSWERED,
      reward: 0,
    });
  });

  it('takes a final text on the last step as an answer', () => {
    const outcomes = play(rules(2), toolCall('{"query": "A"}'), final(fence('RIGHT')));
    expect(outcomes[1]).toMatchObject({ ...terminated('answer'), reward: 1 });
  });
});

describe('the token budget', () => {
  const rules = begin({ limits: { completionTokenCountMax: 100 } });

  it.each([
    [99, GOES_ON],
    [100, truncated('token_limit')],
    [101, truncated('token_limit')],
  ])('a call at %d tokens', (tokens, end) => {
    const { outcome } = takeStep(rules, turn(call('SELECT 1')), tokens);
    expect(outcome).toMatchObject({ ...end, completionTokenCount: tokens });
    expect(outcome.ignoredCallCount).toBe(tokens < 100 ? 0 : 1);
  });

  it('counts all steps, and always truncates, also an answer', () => {
    const first = takeStep(rules, turn(call('SELECT 1')), 60);
    const second = takeStep(first.state, turn(fence('RIGHT')), 40);
    expect(second.outcome).toMatchObject({
      ...truncated('token_limit'),
      reward: 1,
      completionTokenCount: 100,
    });
    const other = takeStep(first.state, turn(fence('RIGHT')), 39);
    expect(other.outcome).toMatchObject(terminated('answer'));
  });

  it('runs a call that the caller has parsed, then ends unanswered', () => {
    const { outcome } = takeStep(rules, toolCall('{"query": "A"}'), 100);
    expect(outcome).toMatchObject({
      ...truncated('token_limit'),
      messages: [{ content: 'rows of A' }],
      grade: UNANSWERED,
    });
  });

  it('takes a final text as an answer, whatever it cost', () => {
    const { outcome } = takeStep(rules, final(fence('RIGHT')), 1000);
    expect(outcome).toMatchObject({ ...terminated('answer'), reward: 1 });
  });

  it('comes before the step limit, which comes before that of invalid calls', () => {
    const limits = { stepCountMax: 1, completionTokenCountMax: 10, invalidCallCountMax: 1 };
    const bad = toolCall('{}');
    expect(takeStep(begin({ limits }), bad, 10).outcome).toMatchObject(truncated('token_limit'));
    expect(takeStep(begin({ limits }), bad, 9).outcome).toMatchObject(truncated('step_limit'));
    const more = { ...limits, stepCountMax: 2 };
    expect(takeStep(begin({ limits: more }), bad, 9).outcome).toMatchObject(
      truncated('invalid_call_limit'),
    );
  });
});

describe('where the answer is looked for', () => {
  const earlier = turn(`${fence('RIGHT')}\n${call('SELECT 1')}`);

  it('is the last turn by default', () => {
    expect(play(begin(), earlier, final('Done.'))[1]).toMatchObject({
      reward: 0,
      grade: { answerSql: 'Done.' },
    });
  });

  it('is all turns under `transcript`; the last fence wins', () => {
    const state = begin({ score: { scope: 'transcript' } });
    expect(play(state, earlier, turn('Done.'))[1]).toMatchObject({ reward: 1 });
    expect(play(state, earlier, final('Done.'))[1]).toMatchObject({ reward: 1 });
    expect(play(state, earlier, final(fence('WRONG')))[1]).toMatchObject({ reward: 0 });
    expect(play(state, turn(call(fence('A'))), final(fence('RIGHT')))[1]).toMatchObject({
      reward: 1,
    });
    expect(play(state, toolCall('{"query": "A"}'), final(fence('RIGHT')))[1]).toMatchObject({
      reward: 1,
    });
  });

  it('joins the turns by newlines', () => {
    const state = begin({ score: { scope: 'transcript' } });
    const { plan } = takeStep(
      takeStep(state, turn(`select a\n${call('x')}`)).state,
      final('from t'),
    );
    expect(plan).toMatchObject({ answerSql: `select a\n${call('x')}\nfrom t` });
  });

  it('keeps the newest turns within a bound, and none by default', () => {
    const long = (letter: string) =>
      turn(`${letter.repeat(TRANSCRIPT_SIZE_MAX / 2 - 200)}${call('A')}`);
    let state = begin({ score: { scope: 'transcript' } });
    for (const letter of ['a', 'b', 'c', 'd']) state = takeStep(state, long(letter)).state;
    expect(state.transcript.map((text) => text[0])).toEqual(['c', 'd']);
    expect(takeStep(begin(), long('a')).state.transcript).toEqual([]);
    const { state: ended } = takeStep(state, final(fence('RIGHT')));
    expect(ended.transcript).toEqual([]);
  });
});

describe('plans', () => {
  it('are refused by another state than the one that they are for', () => {
    const state = begin();
    const plan = planStep(state, turn(call('A')), 0);
    const answer = planStep(state, final('RIGHT'), 0);
    if (plan.kind !== 'calls' || answer.kind !== 'answer') throw new Error('unexpected plan');
    const next = applyCalls(state, plan, [reply('A')]).state;
    expect(() => applyCalls(next, plan, [reply('A')])).toThrow('not one of the next step');
    const ended = applyAnswer(state, answer, missingAnswer('bag@1')).state;
    expect(() => applyAnswer(ended, answer, missingAnswer('bag@1'))).toThrow('not one of');
    expect(() => planStep(ended, turn('x'), 0)).toThrow('ended');
  });

  it('want one reply for each call that ran', () => {
    const state = begin();
    const plan = planStep(state, turn(call('A')), 0);
    if (plan.kind !== 'calls') throw new Error('unexpected plan');
    expect(() => applyCalls(state, plan, [])).toThrow('fewer replies');
    expect(() => applyCalls(state, plan, [reply('A'), reply('B')])).toThrow('more replies');
  });

  it('change no state', () => {
    const state = begin({ score: { scope: 'transcript' } });
    const before = structuredClone(state);
    takeStep(state, turn(call('A')), 5);
    takeStep(state, turn(UNKNOWN), 5);
    takeStep(state, final('RIGHT'), 5);
    expect(state).toEqual(before);
  });

  it('keep the promises of an episode, whatever the model does', () => {
    const text = fc
      .array(
        fc.constantFrom(
          call('A'),
          fence('RIGHT'),
          fence('WRONG'),
          MALFORMED,
          UNKNOWN,
          '<tool_call>',
          'x',
          '\n',
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join(''));
    const action = fc.oneof<fc.Arbitrary<Action>[]>(
      text.map(turn),
      text.map(turn),
      fc.constantFrom('{"query": "A"}', '{}', 'x').map((json) => toolCall(json)),
      text.map(final),
    );
    const rules = fc.record({
      limits: fc.record({
        stepCountMax: fc.integer({ min: 1, max: 5 }),
        invalidCallCountMax: fc.integer({ min: 1, max: 3 }),
        parallelCallCountMax: fc.integer({ min: 1, max: 3 }),
        completionTokenCountMax: fc.integer({ min: 1, max: 200 }),
      }),
      score: fc.record({
        scope: fc.constantFrom('last_turn' as const, 'transcript' as const),
        fallback: fc.constantFrom('statement' as const, 'none' as const),
      }),
      onMalformed: fc.constantFrom('end' as const, 'observe' as const),
    });
    fc.assert(
      fc.property(
        rules,
        fc.array(fc.tuple(action, fc.nat(60)), { minLength: 6 }),
        (rule, steps) => {
          let state = begin(rule);
          for (const [each, tokens] of steps) {
            const { outcome, state: next } = takeStep(state, each, tokens);
            const ended = outcome.terminated || outcome.truncated;
            expect(outcome.terminated && outcome.truncated).toBe(false);
            expect(next.ended).toBe(ended);
            expect(outcome.grade !== undefined).toBe(ended);
            expect(outcome.reward).toBe(outcome.grade?.reward ?? 0);
            expect(outcome.episodeReturn).toBe(outcome.reward);
            expect(outcome.messages.length).toBe(outcome.queries.length);
            expect(outcome.messages.length).toBeLessThanOrEqual(rule.limits.parallelCallCountMax);
            expect(outcome.terminationReason !== undefined).toBe(outcome.terminated);
            expect(outcome.truncationReason !== undefined).toBe(outcome.truncated);
            state = next;
            if (ended) break;
          }
          expect(state.stepCount).toBeLessThanOrEqual(rule.limits.stepCountMax);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

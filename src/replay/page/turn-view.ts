import { checkArguments, checkArgumentValue, parseToolCalls } from '../../../env/hermes.ts';
import type { JsonValue } from '../../../env/json-parse.ts';
import type { Trajectory, TrajectoryQuery, TrajectoryStep } from '../../../env/trajectory.ts';
import { parseResultText } from '../result-text.ts';
import type { PageEpisode } from '../page-data.ts';
import { h, type Child } from './dom.ts';
import { counted, countText, msText, rewardText, spaced } from './format.ts';
import { cutAway } from './cut-away.ts';
import { saidParts, type SaidPart } from './said-parts.ts';
import { sqlView } from './sql-view.ts';
import { visibleText } from './visible-text.ts';

/** One turn: what the model said, the calls that were read from it, and what it read next. */
export function turnView(episode: PageEpisode, step: TrajectoryStep): HTMLElement {
  const { step_index: stepIndex } = step;
  const heading = `turn-${stepIndex}-heading`;
  return h(
    'article',
    { class: 'turn', id: `turn-${stepIndex}`, tabindex: -1, 'aria-labelledby': heading },
    h(
      'header',
      {},
      h('h3', { id: heading }, `Step ${stepIndex}`),
      h('p', { class: 'facts' }, turnFacts(step)),
    ),
    saidView(step),
    step.messages.map((message, index) => readView(episode, step, index, message.content)),
    step.messages.length === 0 &&
      h('p', { class: 'facts' }, 'The model read nothing after this turn.'),
  );
}

function turnFacts(step: TrajectoryStep): string {
  const facts = [
    `reward ${rewardText(step.reward)}`,
    `${msText(step.step_ms)} in the server`,
    `${msText(step.started_ms)} after the start`,
  ];
  if (step.completion_token_count > 0) facts.push(counted(step.completion_token_count, 'token'));
  if (step.ignored_call_count > 0)
    facts.push(`${counted(step.ignored_call_count, 'call')} ignored`);
  return facts.join(' · ');
}

function saidView({ action }: TrajectoryStep): HTMLElement {
  switch (action.kind) {
    case 'tool_call':
      return block('The model called', [
        h('p', { class: 'call-name' }, visibleText(action.name)),
        argumentsView(action.arguments_json),
      ]);
    case 'final_text':
      return block('The model’s final answer', saidParts(action.text).map(plainPart));
    case 'assistant_text':
      return block('The model said', assistantParts(action.text));
  }
}

function block(title: string, children: Child): HTMLElement {
  return h('section', { class: 'said', 'aria-label': title }, h('h4', {}, title), children);
}

function assistantParts(text: string): Child[] {
  if (text === '') return [h('p', { class: 'muted' }, 'nothing')];
  const { calls } = parseToolCalls(text);
  return saidParts(text).map((part) => {
    if (part.kind !== 'call') return plainPart(part);
    const call = calls[part.callIndex];
    if (call === undefined || call.kind === 'malformed') {
      return h('div', { class: 'call malformed' }, [
        h('p', { class: 'call-name' }, 'A malformed tool call'),
        h('pre', { class: 'text' }, visibleText(part.text)),
      ]);
    }
    return h('div', { class: 'call' }, [
      h('p', { class: 'call-name' }, 'Tool call ', h('code', {}, visibleText(call.name))),
      callArguments(call.arguments),
      h('details', {}, [
        h('summary', {}, 'As it was written'),
        h('pre', { class: 'text' }, visibleText(part.text)),
      ]),
    ]);
  });
}

function plainPart(part: SaidPart): Child {
  if (part.kind === 'sql') return sqlView(part.inside, 'SQL in the answer');
  const text = part.text.trim();
  return text !== '' && h('pre', { class: 'text' }, visibleText(text));
}

function callArguments(value: JsonValue): HTMLElement {
  const check = checkArgumentValue(value);
  return check.ok
    ? sqlView(check.sql, 'SQL of the call')
    : h('p', { class: 'muted' }, 'Its arguments hold no query.');
}

function argumentsView(json: string): Child[] {
  const check = checkArguments(json);
  const raw = h('pre', { class: 'text' }, visibleText(json));
  if (!check.ok) return [h('p', { class: 'muted' }, 'Its arguments hold no query.'), raw];
  return [
    sqlView(check.sql, 'SQL of the call'),
    h('details', {}, h('summary', {}, 'As it was written'), raw),
  ];
}

/** What the model read, to the character, beside what was cut away. */
function readView(
  { trajectory, wholeTexts }: PageEpisode,
  step: TrajectoryStep,
  index: number,
  content: string,
): HTMLElement {
  const query = step.queries[index];
  const whole = wholeTexts?.find(
    ({ stepIndex, messageIndex }) => stepIndex === step.step_index && messageIndex === index,
  );
  const table = query?.text_truncated === true ? undefined : resultTable(content);
  return h(
    'section',
    { class: 'read', 'aria-label': 'What the model read' },
    h('h4', {}, 'The model read'),
    query && h('p', { class: 'facts' }, queryFacts(query)),
    h('div', { class: 'panes' }, [
      h('div', {}, [
        h('pre', { class: 'text', tabindex: 0 }, markedText(content)),
        table && h('details', {}, h('summary', {}, 'As a table'), table),
      ]),
      query?.text_truncated === true && cutView(trajectory, query, whole?.text),
    ]),
  );
}

function queryFacts(query: TrajectoryQuery): Child[] {
  const isOk = query.status === 'ok';
  const facts = [
    ...(isOk ? [`${counted(query.row_count, 'row')}${query.capped ? ', capped' : ''}`] : []),
    `query ${msText(query.query_us / 1_000)}`,
    `CPU ${msText(query.query_cpu_us / 1_000)}`,
    `queued ${msText(query.queue_us / 1_000)}`,
    ...(query.time_limit === 'none' || query.time_limit === ''
      ? []
      : [`stopped by the ${query.time_limit} limit`]),
  ];
  const badge = h('span', { class: `badge ${isOk ? 'good' : 'bad'}` }, spaced(query.status));
  return [badge, ` ${facts.join(' · ')}`];
}

function cutView(
  { observation }: Trajectory,
  { text_size: size }: TrajectoryQuery,
  whole: string | undefined,
): HTMLElement {
  const cut = whole === undefined ? undefined : cutAway(whole, observation);
  const seenCount = Math.min(observation.text_size_max, size);
  return h('div', { class: 'cut', role: 'region', 'aria-label': 'What was cut away' }, [
    h('p', { class: 'cut-title' }, [
      `Cut away: ${countText(size - seenCount)} of ${countText(size)} characters`,
    ]),
    h('meter', {
      min: 0,
      max: size,
      value: seenCount,
      'aria-label': `The model saw ${countText(seenCount)} of ${countText(size)} characters`,
    }),
    cut === undefined
      ? h('p', { class: 'muted' }, [
          `The ${observation.truncate_side} was cut to ${countText(observation.text_size_max)} characters. `,
          'The record holds only what the model saw; this page was written without the rest.',
        ])
      : h('pre', { class: 'text cut-text', tabindex: 0 }, visibleText(cut)),
  ]);
}

const MARK = /(?:\.\.\.)?\(truncated\)(?:\.\.\.)?/;

function markedText(content: string): Child[] {
  const mark = MARK.exec(content);
  if (mark === null) return visibleText(content);
  return [
    visibleText(content.slice(0, mark.index)),
    h('mark', {}, mark[0]),
    visibleText(content.slice(mark.index + mark[0].length)),
  ];
}

const TABLE_ROW_COUNT_MAX = 100;

function resultTable(content: string): HTMLElement | undefined {
  const result = parseResultText(content);
  if (result === undefined) return undefined;
  const rows = result.rows.slice(0, TABLE_ROW_COUNT_MAX);
  return h('div', { class: 'scroll', tabindex: 0 }, [
    h('table', { class: 'data' }, [
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          result.columns.map((name) => h('th', {}, visibleText(name))),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((cell) => h('td', {}, visibleText(cell))),
          ),
        ),
      ),
    ]),
  ]);
}

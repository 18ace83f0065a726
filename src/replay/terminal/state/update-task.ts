import type { Trajectory } from '../../../../env/trajectory.ts';
import { utf8Size } from '../../../../env/utf8.ts';
import type { EpisodeCheck, ReplayDifference } from '../../ports.ts';
import { counted } from '../text/format.ts';
import { rowsAsLines, unifiedDiff, type DiffLine } from '../text/diff-lines.ts';
import { sqlText } from '../text/highlight.ts';
import { pageCount } from './pages.ts';
import { editBuffer } from './edit-buffer.ts';
import type { EpisodeView, RunningTask, State, Updated, View } from './state.ts';
import type { CallPlace, QueryTried, TaskResult } from './task.ts';
import { recordedSchema } from './open-schema.ts';
import { loadPage } from './update-episode.ts';
import { withForkStep } from './update-fork.ts';
import { withTextMatches } from './update-list.ts';
import { pushPager, pushView, say, topView, withTop, withViews } from './views.ts';

/** Work came to its end. What was cancelled meanwhile is thrown away, and what would open a view under another one. */
export function taskDone(state: State, id: number, result: TaskResult): Updated {
  const task = state.tasks.find((running) => running.id === id);
  const idle = { ...state, tasks: state.tasks.filter((running) => running !== task) };
  if (task !== undefined && (task.depth === state.views.length || !OPENS_VIEW.has(result.kind))) {
    return withResult(idle, result);
  }
  // A fork that nobody waits for any more would stay open.
  return [
    idle,
    result.kind === 'fork_open' ? [{ kind: 'discard_fork', forkId: result.forkId }] : [],
  ];
}

const OPENS_VIEW: ReadonlySet<TaskResult['kind']> = new Set([
  'rerun',
  'check',
  'schema',
  'fork_open',
]);

/** Work failed: it is said, and remembered where it would be tried again and again. */
export function taskFailed(state: State, id: number, message: string): Updated {
  const task = state.tasks.find((running) => running.id === id);
  if (task === undefined) return [state, []];
  const idle = { ...state, tasks: state.tasks.filter((running) => running !== task) };
  const { request, depth } = task;
  if (request.kind === 'schema' && depth === state.views.length) {
    return [recordedSchema(idle, request.trajectory, message), []];
  }
  return [
    say(
      withViews(idle, (view) => failedView(view, task, message)),
      'bad',
      message,
    ),
    [],
  ];
}

function failedView(view: View, { request }: RunningTask, message: string): View {
  if (view.kind === 'episode') {
    if (request.kind === 'compare') return { ...view, comparisonProblem: message };
    if (request.kind === 'whole') return withWhole(view, request.place, message);
  }
  if (view.kind === 'edit' && (request.kind === 'try_query' || request.kind === 'try_answer')) {
    return { ...view, result: { kind: 'failed', message }, scroll: 0 };
  }
  return view;
}

function withResult(state: State, result: TaskResult): Updated {
  switch (result.kind) {
    case 'read':
      return episodeRead(state, result.index, result.trajectory);
    case 'search':
      return [withTextMatches(state, result.matches), []];
    case 'read_siblings':
      return [
        withViews(state, (view) =>
          view.kind === 'siblings' ? { ...view, records: result.records } : view,
        ),
        [],
      ];
    case 'whole':
      return [withViews(state, (view) => withWhole(view, result.place, result.ran)), []];
    case 'rerun':
      return [compared(state, result.place, result.ran), []];
    case 'compare':
      return [
        withViews(state, (view) =>
          isOf(view, result.trajectory) ? { ...view, comparison: result.comparison } : view,
        ),
        [],
      ];
    case 'compare_failed':
      return [
        say(
          withViews(state, (view) =>
            isOf(view, result.trajectory)
              ? { ...view, comparisonProblem: result.problem, goldSql: result.goldSql }
              : view,
          ),
          'bad',
          result.problem,
        ),
        [],
      ];
    case 'schema':
      return [schemaShown(state, result.trajectory, result.tables), []];
    case 'check':
      return [checked(state, result.check, result.reasons), []];
    case 'try_query':
      return [tried(state, { kind: 'query', ran: result.ran }), []];
    case 'try_answer':
      return [tried(state, { kind: 'answer', comparison: result.comparison }), []];
    case 'fork_open':
    case 'fork_run':
    case 'fork_save':
      return [forked(state, result), []];
  }
}

function isOf(view: View, trajectory: Trajectory): view is EpisodeView {
  return view.kind === 'episode' && view.trajectory === trajectory;
}

function episodeRead(state: State, index: number, trajectory: Trajectory): Updated {
  const read = withViews(state, (view) =>
    view.kind === 'episode' && view.index === index
      ? { ...view, trajectory, page: Math.min(view.page, pageCount(trajectory) - 1) }
      : view,
  );
  const top = topView(read);
  return top.kind === 'episode' ? loadPage(read, top) : [read, []];
}

function withWhole(view: View, place: CallPlace, whole: QueryTried | string): View {
  if (!isOf(view, place.trajectory)) return view;
  return { ...view, wholes: { ...view.wholes, [`${place.stepIndex}:${place.callIndex}`]: whole } };
}

/** The record of a call against what comes out now, byte by byte. */
function compared(state: State, place: CallPlace, ran: QueryTried): State {
  const { trajectory, stepIndex, callIndex } = place;
  const step = trajectory.steps[stepIndex];
  const recorded = step?.messages[callIndex]?.content ?? '';
  const now = ran.shown.message.content;
  const shown = withViews(state, (view) => withWhole(view, place, ran));
  if (recorded === now) {
    return say(shown, 'good', `the same to the byte: ${counted(utf8Size(now), 'byte')}`);
  }
  const diff = unifiedDiff(rowsAsLines(recorded), rowsAsLines(now), 'recorded', 'now');
  const paged = pushPager(shown, {
    title: `step ${stepIndex}: the record and now`,
    note: 'a line a row, for reading',
    lines: diff,
  });
  return say(paged, 'bad', 'it differs from the record');
}

function checked(state: State, check: EpisodeCheck, reasons: readonly string[]): State {
  switch (check.kind) {
    case 'same': {
      const rest =
        check.unchecked === undefined ? '' : `; the reward was not checked: ${check.unchecked}`;
      return say(state, 'good', `everything came out as recorded, to the byte${rest}`);
    }
    case 'unplayable':
      return say(state, 'bad', check.reason);
    case 'different': {
      const { differences, unchecked } = check;
      return pushPager(state, {
        title: `check: ${counted(differences.length, 'difference')}`,
        note: differences[0]?.episodeId ?? '',
        lines: [
          ...reasonLines(reasons),
          ...differences.flatMap(differenceLines),
          ...(unchecked === undefined
            ? []
            : [[{ text: `not checked: ${unchecked}`, style: 'warn' } as const]]),
        ],
      });
    }
  }
}

/** Before the differences, since those can be many. */
function reasonLines(reasons: readonly string[]): DiffLine[] {
  if (reasons.length === 0) return [];
  return [
    [{ text: 'possible reasons', style: 'strong' }],
    ...reasons.map((text): DiffLine => [{ text: `  ${text}`, style: 'warn' }]),
    [],
  ];
}

function differenceLines({ stepIndex, what, recorded, now, note }: ReplayDifference): DiffLine[] {
  const where = stepIndex === undefined ? 'the episode' : `step ${stepIndex}`;
  return [
    [
      { text: where, style: 'strong' },
      { text: `: ${what} differs`, style: 'bad' },
    ],
    ...(note === undefined ? [] : [[{ text: note, style: 'warn' } as const]]),
    ...unifiedDiff(rowsAsLines(recorded), rowsAsLines(now), 'recorded', 'now'),
    [],
  ];
}

function schemaShown(state: State, trajectory: Trajectory, tables: readonly string[]): State {
  return pushPager(state, {
    title: `schema of ${trajectory.database_id}`,
    note: counted(tables.length, 'table'),
    lines: tables.flatMap((sql): DiffLine[] => [sqlText(sql), []]),
  });
}

function tried(
  state: State,
  result: NonNullable<Extract<View, { kind: 'edit' }>['result']>,
): State {
  const view = topView(state);
  if (view.kind !== 'edit') return state;
  return withTop(state, { ...view, result, scroll: 0 });
}

type ForkResult = Extract<TaskResult, { kind: 'fork_open' | 'fork_run' | 'fork_save' }>;

function forked(state: State, result: ForkResult): State {
  const view = topView(state);
  if (result.kind === 'fork_open') {
    if (view.kind !== 'episode' || view.trajectory === undefined) return state;
    const { trajectory, ended } = result.fork;
    return pushView(state, {
      kind: 'fork',
      forkId: result.forkId,
      parent: view.trajectory,
      stepIndex: trajectory.steps.length,
      trajectory,
      ended,
      input: 'sql',
      buffer: editBuffer(''),
      focus: 'input',
      scroll: undefined,
      savedId: undefined,
      asking: false,
    });
  }
  if (view.kind !== 'fork') return state;
  if (result.kind === 'fork_run') return withTop(state, withForkStep(view, result.fork));
  const { episodeId, fork } = result;
  const saved = withTop(state, { ...view, ...fork, savedId: episodeId, focus: 'transcript' });
  return say(saved, 'good', `saved as ${episodeId} in ${state.facts.forkFile}`);
}

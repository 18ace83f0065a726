import { parseFilter, type EpisodeFilter } from '../../filter.ts';
import { listHeight } from '../views/list-view.ts';
import type { DiffLine } from '../text/diff-lines.ts';
import { countText } from '../text/format.ts';
import { editBuffer, editKey } from './edit-buffer.ts';
import { openEpisode } from './open-episode.ts';
import { openSiblings } from './open-siblings.ts';
import type { Key } from './key.ts';
import { listFigures, listMatches, listRows, SORT_KEYS } from './list-rows.ts';
import type { ListView, State, Updated } from './state.ts';
import { pushPager, say, startTask, withList } from './views.ts';

const NO_FILTER: EpisodeFilter = { terms: [], textTerms: [] };

/** A list that shows everything, in the order of the files. */
export function initialList(episodes: State['facts']['episodes']): ListView {
  const matches = episodes.map(({ index }) => index);
  return {
    kind: 'list',
    filter: '',
    input: undefined,
    inputProblem: '',
    sort: 'recorded',
    descending: false,
    grouped: false,
    unfolded: new Set(),
    textMatches: undefined,
    matches,
    figures: listFigures(episodes, matches),
    rows: matches,
    cursor: 0,
    top: 0,
  };
}

/** A key on the list. */
export function listKey(state: State, list: ListView, key: Key): Updated {
  if (list.input !== undefined) return inputKey(state, list, list.input, key);
  const moved = moveKey(state, list, key.id);
  if (moved !== undefined) return [withList({ ...state, status: undefined }, moved), []];
  switch (key.id) {
    case '/':
      return [
        withList(
          { ...state, status: undefined },
          { ...list, input: editBuffer(list.filter === '' ? '' : `${list.filter} `) },
        ),
        [],
      ];
    case 'enter':
      return openRow(state, list);
    case 'right':
    case 'l':
      return [withList(state, folded(state, list, true)), []];
    case 'left':
    case 'h':
      return [withList(state, folded(state, list, false)), []];
    case 'g':
      return [withList(state, relisted(state, { ...list, grouped: !list.grouped })), []];
    case 'o':
      return [
        withList(state, relisted(state, { ...list, sort: nextSort(list), descending: false })),
        [],
      ];
    case 'O':
      return [withList(state, relisted(state, { ...list, descending: !list.descending })), []];
    case 'u': {
      const index = indexAt(list, list.cursor);
      return index === undefined ? [state, []] : openSiblings(state, index);
    }
    case '!':
      return [openProblems(state), []];
    case 'escape':
      return list.filter === '' ? [state, []] : applyFilter(state, '');
    case 'q':
      return [state, [{ kind: 'quit', interrupted: false }]];
    default:
      return [state, []];
  }
}

/** Applies a filter: at once what summaries answer, in the background what needs the records. */
export function applyFilter(state: State, filter: string): Updated {
  const [list] = state.views;
  const parsed = parseFilter(filter);
  if (parsed.kind === 'problem') return [say(state, 'bad', parsed.message), []];
  const { textTerms } = parsed.filter;
  const closed = { ...list, input: undefined, inputProblem: '', filter, textMatches: undefined };
  const shown = withList({ ...state, status: undefined }, relisted(state, closed));
  if (textTerms.length === 0) return [shown, []];
  const indices = shown.views[0].matches;
  return startTask(shown, { kind: 'search', terms: textTerms, indices }, 'searching the records');
}

/** The list with the episodes whose records hold the filter's texts. */
export function withTextMatches(state: State, matches: readonly number[]): State {
  const [list] = state.views;
  return withList(state, relisted(state, { ...list, textMatches: new Set(matches) }));
}

/** The list with what it shows found anew; the chosen row stays chosen if it is still there. */
function relisted(state: State, list: ListView): ListView {
  const { episodes } = state.facts;
  const source = list.input?.text ?? list.filter;
  const parsed = parseFilter(source);
  const filter = parsed.kind === 'filter' ? parsed.filter : NO_FILTER;
  const matches = listMatches(episodes, filter, list, list.textMatches);
  const rows = listRows(episodes, matches, list.grouped, list.unfolded);
  const figures = listFigures(episodes, matches);
  const chosen = indexAt(list, list.cursor);
  const at = chosen === undefined ? -1 : placeOf(rows, chosen);
  return placed(state, { ...list, matches, rows, figures, cursor: Math.max(0, at) });
}

function inputKey(
  state: State,
  list: ListView,
  input: NonNullable<ListView['input']>,
  key: Key,
): Updated {
  switch (key.id) {
    case 'enter': {
      const parsed = parseFilter(input.text);
      if (parsed.kind === 'problem') return [say(state, 'bad', parsed.message), []];
      return applyFilter(state, input.text.trim());
    }
    case 'escape': {
      const closed = relisted(state, { ...list, input: undefined, inputProblem: '' });
      return [withList({ ...state, status: undefined }, closed), []];
    }
    default: {
      const edited = editKey(input, key, undefined);
      if (edited === undefined) return [state, []];
      return [typed(state, list, edited), []];
    }
  }
}

/** What is typed is applied as it is typed; while it is no filter, the list stays as it was. */
function typed(state: State, list: ListView, input: NonNullable<ListView['input']>): State {
  const parsed = parseFilter(input.text);
  if (parsed.kind === 'problem') {
    const next = { ...list, input, inputProblem: parsed.message };
    return say(withList(state, next), 'bad', parsed.message);
  }
  const next = relisted(state, { ...list, input, inputProblem: '', textMatches: undefined });
  const shown = withList({ ...state, status: undefined }, next);
  return parsed.filter.textTerms.length === 0
    ? shown
    : say(shown, 'info', 'enter searches the records for the text');
}

function moveKey(state: State, list: ListView, id: string): ListView | undefined {
  const page = Math.max(1, listHeight(state.size) - 1);
  const last = list.rows.length - 1;
  const targets: Readonly<Record<string, number>> = {
    up: list.cursor - 1,
    k: list.cursor - 1,
    down: list.cursor + 1,
    j: list.cursor + 1,
    'page-up': list.cursor - page,
    'page-down': list.cursor + page,
    ' ': list.cursor + page,
    home: 0,
    end: last,
    G: last,
  };
  const target = targets[id];
  return target === undefined ? undefined : placed(state, { ...list, cursor: target });
}

/** The list with cursor and top within what there is. */
export function placed(state: State, list: ListView): ListView {
  const height = listHeight(state.size);
  const cursor = Math.max(0, Math.min(list.cursor, list.rows.length - 1));
  const lowest = Math.max(0, Math.min(list.top, list.rows.length - height));
  const top = Math.max(cursor - height + 1, Math.min(lowest, cursor));
  return { ...list, cursor, top: Math.max(0, top) };
}

function openRow(state: State, list: ListView): Updated {
  const row = list.rows[list.cursor];
  if (row === undefined) return [state, []];
  if (typeof row === 'number') return openEpisode(state, row);
  return [withList(state, folded(state, list, !row.unfolded)), []];
}

/** Unfolds or folds the group at the cursor; folding a member goes to its group. */
function folded(state: State, list: ListView, unfold: boolean): ListView {
  let at = list.cursor;
  if (!unfold) while (at > 0 && typeof list.rows[at] === 'number' && list.grouped) at -= 1;
  const row = list.rows[at];
  if (row === undefined || typeof row === 'number' || row.unfolded === unfold) return list;
  const unfolded = new Set(list.unfolded);
  if (unfold) unfolded.add(row.group.key);
  else unfolded.delete(row.group.key);
  const rows = listRows(state.facts.episodes, list.matches, list.grouped, unfolded);
  return placed(state, { ...list, unfolded, rows, cursor: at });
}

function nextSort(list: ListView): ListView['sort'] {
  const next = (SORT_KEYS.indexOf(list.sort) + 1) % SORT_KEYS.length;
  return SORT_KEYS[next] ?? 'recorded';
}

function indexAt(list: ListView, cursor: number): number | undefined {
  const row = list.rows[cursor];
  return typeof row === 'object' ? row.shown[0] : row;
}

/** The row of an episode, or of the folded group that it is in. */
function placeOf(rows: ListView['rows'], index: number): number {
  const found = rows.indexOf(index);
  if (found !== -1) return found;
  return rows.findIndex((row) => typeof row === 'object' && row.shown.includes(index));
}

function openProblems(state: State): State {
  const { problems } = state.facts;
  const { warnings } = state;
  const count = problems.length + warnings.length;
  if (count === 0) return say(state, 'info', 'all files could be read');
  return pushPager(state, {
    title: 'problems',
    note: countText(count),
    lines: [
      ...warnings.map((text): DiffLine => [{ text, style: 'warn' }]),
      ...problems.map(({ location, message }): DiffLine => [
        { text: `${location}: `, style: 'strong' },
        { text: message, style: 'bad' },
      ]),
    ],
  });
}

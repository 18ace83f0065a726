/** The places of the page. */
export type ViewName = 'overview' | 'list' | 'groups' | 'group' | 'episode';

/** Where one is: all of it is in the address, so that a link leads there and the back button works. */
export interface Route {
  readonly view: ViewName;
  /** Of the episode or group, as {@link encodable} gives it; empty elsewhere. */
  readonly id: string;
  readonly filter: string;
  /** Column, with `-` before it for downwards; empty is the order of the files. */
  readonly sort: string;
  /** Place of the episode, only where its id is not the first with that id. */
  readonly at: number | undefined;
  /** Step that is looked at. */
  readonly step: number | undefined;
}

const VIEWS: readonly ViewName[] = ['overview', 'list', 'groups', 'group', 'episode'];

/** Where the page begins. */
export const START: Route = {
  view: 'overview',
  id: '',
  filter: '',
  sort: '',
  at: undefined,
  step: undefined,
};

/** Reads the part of the address after `#`. What makes no sense is left out. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#\/?/, ''), '?');
  const [view = '', id = ''] = splitOnce(path, '/');
  const parameters = new URLSearchParams(query);
  return {
    view: VIEWS.find((name) => name === view) ?? 'overview',
    id: decoded(id),
    filter: parameters.get('filter') ?? '',
    sort: parameters.get('sort') ?? '',
    at: wholeNumber(parameters.get('at')),
    step: wholeNumber(parameters.get('step')),
  };
}

/** The address of a place; the inverse of {@link parseRoute}. */
export function hashOf(route: Partial<Route>): string {
  const { view, id, filter, sort, at, step } = { ...START, ...route };
  const parameters = new URLSearchParams();
  if (filter !== '') parameters.set('filter', encodable(filter));
  if (sort !== '') parameters.set('sort', sort);
  if (at !== undefined) parameters.set('at', String(at));
  if (step !== undefined) parameters.set('step', String(step));
  const query = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(encodable(id))}`}${query}`;
}

/** An id as it can stand in an address: halves of surrogate pairs can't. */
export function encodable(id: string): string {
  return id.replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    '\ufffd',
  );
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

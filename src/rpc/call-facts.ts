import type { QueryInfo } from '../generated/sqlenv/v1/QueryInfo.ts';

/** What a trace shows of a call; never a text of anybody. */
export type CallFacts = Readonly<Record<string, string | number>>;

/** The fields that messages of several methods share, as protobuf gives them. */
interface WireFields {
  readonly episodeId?: string;
  readonly taskId?: string;
  readonly databaseId?: string;
  readonly groupId?: string;
  readonly stepIndex?: number;
  readonly task?: string | { readonly taskId?: string; readonly databaseId?: string } | null;
  readonly queries?: readonly QueryInfo[];
  readonly query?: QueryInfo | null;
  readonly grade?: GradeFields | null;
  readonly grades?: readonly GradeFields[];
  readonly reward?: number;
}

interface GradeFields {
  readonly verdict?: string | number | undefined;
  readonly answerQuery?: QueryInfo | null | undefined;
}

/** Reads the facts from the messages of a call; `response` is undefined if it failed. */
export function callFacts(request: unknown, response: unknown): CallFacts {
  const asked = (request ?? {}) as WireFields;
  const answered = (response ?? {}) as WireFields;
  const task = typeof answered.task === 'object' ? answered.task : undefined;
  const facts: Record<string, string | number> = {};
  const add = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== '') facts[`sqlenv.${name}`] = value;
  };
  add('episode_id', asked.episodeId);
  add('group_id', asked.groupId);
  add('task_id', task?.taskId ?? asked.taskId);
  add('database_id', task?.databaseId ?? asked.databaseId);
  add('step_index', asked.stepIndex);
  const grades = answered.grades ?? (answered.grade ? [answered.grade] : []);
  const queries = queriesOf(answered, grades);
  if (queries.length > 0) {
    add('query_status', queries.map(({ status }) => word('QUERY_STATUS_', status)).join(','));
    add('queue_us', sum(queries.map(({ queueUs }) => queueUs)));
    add('query_us', sum(queries.map(({ queryUs }) => queryUs)));
    add('query_cpu_us', sum(queries.map(({ queryCpuUs }) => queryCpuUs)));
  }
  if (grades.length > 0) {
    add('verdict', grades.map(({ verdict }) => word('VERDICT_', verdict)).join(','));
  }
  if (answered.grade) add('reward', answered.reward);
  return facts;
}

function queriesOf(answered: WireFields, grades: readonly GradeFields[]): readonly QueryInfo[] {
  const calls = answered.queries ?? (answered.query ? [answered.query] : []);
  // One run of the answer serves all comparison modes.
  const answer = grades[0]?.answerQuery;
  return answer ? [...calls, answer] : calls;
}

function word(prefix: string, value: string | number | undefined): string {
  return String(value ?? '')
    .replace(prefix, '')
    .toLowerCase();
}

function sum(values: readonly unknown[]): number {
  return values.reduce<number>((total, value) => total + Number(value ?? 0), 0);
}

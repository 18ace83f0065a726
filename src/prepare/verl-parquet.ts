import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import type { PromptStyle } from '../../env/prompt.ts';
import type { Task } from '../../env/task.ts';
import type { DatabaseSchema } from '../episodes/ports.ts';
import { sha256 } from '../sqlite/hash.ts';
import { promptOf } from './chat-lines.ts';

/** Values of columns that are the same in all rows; those of `python -m sqlenv.verl.dataset`. */
export interface VerlNames {
  readonly dataSource: string;
  /** The name of verl's agent loop: without one verl runs no tool, and says nothing. */
  readonly agentName: string;
}

/** The names that go with the Python package's agent loop. */
export const VERL_NAMES: VerlNames = { dataSource: 'sqlenv', agentName: 'sqlenv' };

const ABILITY = 'text_to_sql';

/**
 * A parquet file with the columns that verl's agent loops read, the same as the Python package writes. Every row has every
 * key, since Arrow would fill missing ones with None, and no struct is empty, since none could be written.
 */
export function verlParquet(
  tasks: readonly Task[],
  schemas: ReadonlyMap<string, DatabaseSchema>,
  style: PromptStyle,
  split: string,
  names: VerlNames,
): Uint8Array {
  const rows = tasks.map((task, index) => ({
    data_source: names.dataSource,
    agent_name: names.agentName,
    ability: ABILITY,
    prompt: promptOf(task, schemas, style),
    reward_model: { style: 'rule', ground_truth: task.goldSql },
    extra_info: {
      split,
      index: BigInt(index),
      difficulty: task.difficulty,
      need_tools_kwargs: true,
      tools_kwargs: { run_sql: { create_kwargs: { database_id: task.databaseId } } },
      env: {
        task_id: task.taskId,
        database_id: task.databaseId,
        gold_sha256: sha256(task.goldSql),
      },
    },
  }));
  const columnData = COLUMNS.map((name) => ({ name, data: rows.map((row) => row[name]) }));
  return new Uint8Array(parquetWriteBuffer({ columnData, schema: [...SCHEMA] }));
}

const COLUMNS = [
  'data_source',
  'agent_name',
  'ability',
  'prompt',
  'reward_model',
  'extra_info',
] as const;

const SCHEMA: readonly SchemaElement[] = [
  { name: 'schema', num_children: COLUMNS.length },
  text('data_source'),
  text('agent_name'),
  text('ability'),
  ...list('prompt', group('element', text('role'), text('content'))),
  ...group('reward_model', text('style'), text('ground_truth')),
  ...group(
    'extra_info',
    text('split'),
    { name: 'index', type: 'INT64', repetition_type: 'OPTIONAL' },
    text('difficulty'),
    { name: 'need_tools_kwargs', type: 'BOOLEAN', repetition_type: 'OPTIONAL' },
    group('tools_kwargs', group('run_sql', group('create_kwargs', text('database_id')))),
    group('env', text('task_id'), text('database_id'), text('gold_sha256')),
  ),
];

function text(name: string): SchemaElement {
  return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' };
}

function group(
  name: string,
  ...children: (SchemaElement | readonly SchemaElement[])[]
): readonly SchemaElement[] {
  const head = { name, repetition_type: 'OPTIONAL', num_children: children.length } as const;
  return [head, ...children.flat()];
}

/** A list in the three levels that readers expect. */
function list(name: string, element: readonly SchemaElement[]): readonly SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ];
}

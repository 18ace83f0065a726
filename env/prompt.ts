import { jsonString } from './python-json.ts';
import { TOOL_NAME } from './refusals.ts';
import type { Message } from './task.ts';

/** How a prompt shows the schema: `ddl` is the seed experiment's, `compact` is one line a table and names no tool. */
export type PromptStyle = 'ddl' | 'compact';

/** Tables and columns as the prompts need them. */
export interface PromptSchema {
  /** `sql` of every table, ordered by name, stripped. */
  readonly tableSqls: readonly string[];
  /** Tables in the order of the file with their columns in table order. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** The tool in OpenAI form, as trainers hand it to a chat template. */
export const TOOL_SCHEMA = {
  type: 'function',
  function: {
    name: TOOL_NAME,
    description: 'Execute a read-only SQL query and return the result rows.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A single SQL SELECT statement.' },
      },
      required: ['query'],
    },
  },
} as const;

/** {@link TOOL_SCHEMA} to the byte as Python's `json.dumps` writes it. */
export const TOOL_SCHEMA_JSON: string = pythonStyleJson(TOOL_SCHEMA);

/** The prompt of a task: a system message that holds the schema, and the question. */
export function buildMessages(
  style: PromptStyle,
  schema: PromptSchema,
  question: string,
): Message[] {
  const system = style === 'ddl' ? ddlPrompt(schema) : compactPrompt(schema);
  return [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
}

function ddlPrompt(schema: PromptSchema): string {
  return (
    'You are a SQL assistant for a SQLite database with this schema:\n' +
    `${schema.tableSqls.join('\n\n')}\n` +
    `You may call the tool ${TOOL_NAME}(query) to execute a SQL query and inspect results. ` +
    'When you are done, give your final answer as a single SQL query inside a ```sql code block.'
  );
}

function compactPrompt(schema: PromptSchema): string {
  const lines = schema.tables.map((table) => `${table.name}(${table.columns.join(', ')})`);
  return [
    'You answer questions about a database with one SQLite query.',
    'Reply with the query and nothing else.',
    ...lines,
  ].join('\n');
}

type PlainJson = string | readonly PlainJson[] | { readonly [key: string]: PlainJson };

function pythonStyleJson(value: PlainJson): string {
  if (typeof value === 'string') return jsonString(value);
  if (isList(value)) return `[${value.map(pythonStyleJson).join(', ')}]`;
  const entries = Object.entries(value).map(
    ([key, item]) => `${jsonString(key)}: ${pythonStyleJson(item)}`,
  );
  return `{${entries.join(', ')}}`;
}

function isList(value: PlainJson): value is readonly PlainJson[] {
  return Array.isArray(value);
}

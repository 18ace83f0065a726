import { describe, expect, it } from 'vitest';
import { buildMessages, TOOL_SCHEMA, TOOL_SCHEMA_JSON } from '../../env/prompt.ts';
import { pythonTexts } from './run-python.ts';

const SCHEMA = {
  tableSqls: ['CREATE TABLE concert (id int)', 'CREATE TABLE stadium (\n  "Stadium_ID" int\n)'],
  tables: [
    { name: 'stadium', columns: ['Stadium_ID', 'Location', 'Name'] },
    { name: 'concert', columns: ['id'] },
  ],
};

describe('buildMessages', () => {
  it('builds the prompt of the seed experiment', () => {
    expect(buildMessages('ddl', SCHEMA, 'How many?')).toEqual([
      {
        role: 'system',
        content:
          'You are a SQL assistant for a SQLite database with this schema:\n' +
          'CREATE TABLE concert (id int)\n\nCREATE TABLE stadium (\n  "Stadium_ID" int\n)\n' +
          'You may call the tool run_sql(query) to execute a SQL query and inspect results. When you are ' +
          'done, give your final answer as a single SQL query inside a ```sql code block.',
      },
      { role: 'user', content: 'How many?' },
    ]);
  });

  it('builds the compact prompt', () => {
    expect(buildMessages('compact', SCHEMA, 'How many?')).toEqual([
      {
        role: 'system',
        content:
          'You answer questions about a database with one SQLite query.\n' +
          'Reply with the query and nothing else.\n' +
          'stadium(Stadium_ID, Location, Name)\n' +
          'concert(id)',
      },
      { role: 'user', content: 'How many?' },
    ]);
  });
});

describe('TOOL_SCHEMA_JSON', () => {
  it('is what json.dumps of Python writes', () => {
    expect(pythonTexts('print(json.dumps([json.dumps(input_value)]))', [TOOL_SCHEMA])).toEqual([
      `[${TOOL_SCHEMA_JSON}]`,
    ]);
    expect(JSON.parse(TOOL_SCHEMA_JSON)).toEqual({
      type: 'function',
      function: {
        name: 'run_sql',
        description: 'Execute a read-only SQL query and return the result rows.',
        parameters: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'A single SQL SELECT statement.' },
          },
          required: ['query'],
        },
      },
    });
  });
});

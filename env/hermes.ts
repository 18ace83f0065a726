import { parsePythonJson, type JsonValue } from './json-parse.ts';
import { FIELD_LIMITS } from './limits.ts';
import { invalidArgumentsText, NUL_MESSAGE, SURROGATE_MESSAGE } from './refusals.ts';
import { hasLoneSurrogate, utf8Size } from './utf8.ts';

/** One tool call of a turn, in the order of the text. */
export type ToolCallFound =
  | { readonly kind: 'call'; readonly name: string; readonly arguments: JsonValue }
  | { readonly kind: 'malformed' };

/** The tool calls of a turn. */
export interface ToolCallsFound {
  readonly calls: readonly ToolCallFound[];
  /** The turn opens a tool call, well-formed or not: true exactly if `calls` is not empty. */
  readonly hasTags: boolean;
}

/** SQL to run, or what to tell the model instead. */
export type ArgumentCheck =
  | { readonly ok: true; readonly sql: string }
  | { readonly ok: false; readonly text: string; readonly status: 'invalid_arguments' };

const OPEN_TAG = '<tool_call>';
const CLOSE_TAG = '</tool_call>';

/**
 * Finds tool calls as verl's hermes parser does (`<tool_call>(.*?)</tool_call>`, dot matches newlines, `json.loads`, a
 * string `name` and a key `arguments`), in linear time. A tag that is never closed is one malformed call here; verl finds
 * no call in it and ends the trajectory, which is what it does with malformed ones too.
 */
export function parseToolCalls(text: string): ToolCallsFound {
  const calls: ToolCallFound[] = [];
  let at = text.indexOf(OPEN_TAG);
  while (at !== -1) {
    const start = at + OPEN_TAG.length;
    const end = text.indexOf(CLOSE_TAG, start);
    if (end === -1) {
      calls.push({ kind: 'malformed' });
      break;
    }
    calls.push(parseCall(text.slice(start, end)));
    at = text.indexOf(OPEN_TAG, end + CLOSE_TAG.length);
  }
  return { calls, hasTags: calls.length > 0 };
}

/** Checks arguments that arrive as JSON text: {@link checkArgumentValue}. */
export function checkArguments(argumentsJson: string): ArgumentCheck {
  const parsed = parsePythonJson(argumentsJson);
  if (!parsed.ok) return refuse("they are not valid JSON; the string field 'query' is required");
  return checkArgumentValue(parsed.value);
}

/** An object with a string `query`, or a string that holds such an object as JSON, is SQL to run; nothing else is. */
export function checkArgumentValue(value: JsonValue): ArgumentCheck {
  const fields = typeof value === 'string' ? parsedObject(value) : value;
  if (!(fields instanceof Map)) {
    return refuse("they must be an object with the string field 'query'");
  }
  const query: unknown = fields.get('query');
  // verl drops arguments that are null before the tool sees them.
  if (query === undefined || query === null) return refuse("the field 'query' is missing");
  if (typeof query !== 'string') return refuse("the field 'query' must be a string");
  return checkSql(query);
}

/** Refuses text that no SQL can be: NUL characters, lone surrogates, more bytes than `FIELD_LIMITS.sqlBytesMax`. */
export function checkSql(sql: string): ArgumentCheck {
  if (sql.includes('\0')) return refuse(NUL_MESSAGE);
  if (hasLoneSurrogate(sql)) return refuse(SURROGATE_MESSAGE);
  if (utf8Size(sql) > FIELD_LIMITS.sqlBytesMax) {
    return refuse(`the field 'query' is longer than ${FIELD_LIMITS.sqlBytesMax} bytes`);
  }
  return { ok: true, sql };
}

function parseCall(json: string): ToolCallFound {
  const parsed = parsePythonJson(json);
  if (!parsed.ok || !(parsed.value instanceof Map)) return { kind: 'malformed' };
  const fields: ReadonlyMap<string, JsonValue> = parsed.value;
  const name = fields.get('name');
  const callArguments = fields.get('arguments');
  if (typeof name !== 'string' || callArguments === undefined) return { kind: 'malformed' };
  return { kind: 'call', name, arguments: callArguments };
}

function parsedObject(json: string): JsonValue {
  const parsed = parsePythonJson(json);
  return parsed.ok ? parsed.value : null;
}

function refuse(problem: string): ArgumentCheck {
  return { ok: false, text: invalidArgumentsText(problem), status: 'invalid_arguments' };
}

import type { AnswerFallback } from './grade.ts';
import { isPythonSpace, pythonStrip } from './spider/python-text.ts';

const FENCE_OPEN = /```sql/gi;
const FENCE_CLOSE = '```';
const STATEMENT_WORDS = ['select', 'with'] as const;
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;
const CHAT_TAG = /<[/|a-zA-Z]/;
/** What `str.splitlines` of Python splits at. */
const LINE_ENDS = '\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029';

/**
 * The SQL that a text gives as its answer, stripped; undefined if there is none, or an empty one.
 *
 * It is the last fence marked `sql`. Without a fence, under `statement`, it is the last statement that starts a line with
 * SELECT or WITH, taken back over the earlier arms of a UNION or CTE, to the end of the text; else the last line with text.
 * The rule is the seed experiment's (`sql_execution_match`), in linear time.
 */
export function extractAnswer(text: string, fallback: AnswerFallback): string | undefined {
  const fenced = lastFence(text);
  if (fenced !== undefined) return nonEmpty(pythonStrip(fenced));
  if (fallback === 'none') return undefined;
  return nonEmpty(lastStatement(text) ?? lastLine(text));
}

/** The inside of the last closed fence: `re.findall` of "```sql(.*?)```", case-insensitive, dot matching newlines. */
function lastFence(text: string): string | undefined {
  let inside: string | undefined;
  FENCE_OPEN.lastIndex = 0;
  for (let open = FENCE_OPEN.exec(text); open !== null; open = FENCE_OPEN.exec(text)) {
    const end = text.indexOf(FENCE_CLOSE, FENCE_OPEN.lastIndex);
    if (end === -1) break;
    inside = text.slice(FENCE_OPEN.lastIndex, end);
    FENCE_OPEN.lastIndex = end + FENCE_CLOSE.length;
  }
  return inside;
}

function lastStatement(text: string): string | undefined {
  const starts = statementStarts(text);
  let start = starts.pop();
  if (start === undefined) return undefined;
  for (let earlier = starts.pop(); earlier !== undefined; earlier = starts.pop()) {
    if (endsStatement(text.slice(earlier, start))) break;
    start = earlier;
  }
  return pythonStrip(text.slice(start));
}

/** Where SELECT or WITH is the first word of a line, in order. */
function statementStarts(text: string): number[] {
  const starts: number[] = [];
  let line = 0;
  while (line < text.length) {
    let at = line;
    while (at < text.length && isSpaceAt(text, at)) at += 1;
    if (startsStatement(text, at)) starts.push(at);
    const end = text.indexOf('\n', at);
    if (end === -1) break;
    line = end + 1;
  }
  return starts;
}

function isSpaceAt(text: string, at: number): boolean {
  const character = text.charAt(at);
  return character === ' ' || isPythonSpace(character);
}

function startsStatement(text: string, at: number): boolean {
  for (const word of STATEMENT_WORDS) {
    if (text.slice(at, at + word.length).toLowerCase() !== word) continue;
    const next = text.codePointAt(at + word.length);
    return next === undefined || !WORD_CHARACTER.test(String.fromCodePoint(next));
  }
  return false;
}

/** What lies between two starts parts them: `;`, an empty line, or a chat tag such as `<tool_call>` (not a `<` alone). */
function endsStatement(between: string): boolean {
  return (
    between.includes(';') ||
    between.includes('\n\n') ||
    between.includes('\n\r\n') ||
    CHAT_TAG.test(between)
  );
}

function lastLine(text: string): string {
  const stripped = pythonStrip(text);
  let start = stripped.length;
  while (start > 0 && !LINE_ENDS.includes(stripped.charAt(start - 1))) start -= 1;
  return pythonStrip(stripped.slice(start));
}

function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}

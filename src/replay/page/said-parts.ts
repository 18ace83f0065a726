/** A piece of what the model said. The pieces, one after the other, are the whole text. */
export type SaidPart =
  | { readonly kind: 'text'; readonly text: string }
  /** With its tags; the calls of a turn are numbered in order. */
  | { readonly kind: 'call'; readonly text: string; readonly callIndex: number }
  /** A fenced block; `inside` is without its fences. */
  | { readonly kind: 'sql'; readonly text: string; readonly inside: string };

const CALL_OPEN = '<tool_call>';
const CALL_CLOSE = '</tool_call>';
const FENCE_OPEN = /```sql/gi;
const FENCE_CLOSE = '```';

/** Cuts a turn at its tool calls and SQL fences, as the environment reads them, in linear time. */
export function saidParts(text: string): SaidPart[] {
  const parts: SaidPart[] = [];
  let [at, callIndex] = [0, 0];
  for (let open = text.indexOf(CALL_OPEN); open !== -1; open = text.indexOf(CALL_OPEN, at)) {
    const close = text.indexOf(CALL_CLOSE, open + CALL_OPEN.length);
    const end = close === -1 ? text.length : close + CALL_CLOSE.length;
    parts.push(...fenceParts(text.slice(at, open)));
    parts.push({ kind: 'call', text: text.slice(open, end), callIndex });
    callIndex += 1;
    at = end;
  }
  parts.push(...fenceParts(text.slice(at)));
  return parts;
}

function fenceParts(text: string): SaidPart[] {
  const parts: SaidPart[] = [];
  let at = 0;
  const opening = new RegExp(FENCE_OPEN);
  for (let open = opening.exec(text); open !== null; open = opening.exec(text)) {
    const close = text.indexOf(FENCE_CLOSE, opening.lastIndex);
    if (close === -1) break;
    const inside = text.slice(opening.lastIndex, close).trim();
    const end = close + FENCE_CLOSE.length;
    if (open.index > at) parts.push({ kind: 'text', text: text.slice(at, open.index) });
    parts.push({ kind: 'sql', text: text.slice(open.index, end), inside });
    at = end;
    opening.lastIndex = end;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

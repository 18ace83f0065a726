import type { ObservationOptions } from './query.ts';
import { isHighSurrogate, isLowSurrogate } from './utf8.ts';

/** A text as it is shown, and how long it was. */
export interface TruncatedText {
  readonly text: string;
  readonly truncated: boolean;
  /** Code points before it was shortened. */
  readonly textSize: number;
}

const MIDDLE_MARK = '...(truncated)...';
const LEFT_MARK = '(truncated)...';
const RIGHT_MARK = '...(truncated)';

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Shortens a text to N code points as verl does (`_call_tool`, names of the sides as from 0.8 on); 0 is off. Middle is
 * Python's `text[:N//2] + mark + text[-(N//2):]`, so for N = 1 the "tail" is `text[-0:]`: the whole text.
 */
export function truncateText(text: string, options: ObservationOptions): TruncatedText {
  const { textSizeMax, truncateSide } = options;
  // UTF-16 units are code points where there are no surrogates: in nearly every observation, since JSON here is ASCII.
  const plain = !SURROGATE.test(text);
  const textSize = plain ? text.length : codePointCount(text);
  if (textSizeMax === 0 || textSize <= textSizeMax) return { text, truncated: false, textSize };
  const head = (size: number) => text.slice(0, plain ? size : indexAfter(text, size));
  const tail = (size: number) => text.slice(plain ? text.length - size : indexBefore(text, size));
  switch (truncateSide) {
    case 'left':
      return { text: LEFT_MARK + tail(textSizeMax), truncated: true, textSize };
    case 'right':
      return { text: head(textSizeMax) + RIGHT_MARK, truncated: true, textSize };
    case 'middle': {
      const half = Math.floor(textSizeMax / 2);
      const end = half === 0 ? text : tail(half);
      return { text: head(half) + MIDDLE_MARK + end, truncated: true, textSize };
    }
  }
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/** Index after the first `count` code points. */
function indexAfter(text: string, count: number): number {
  let index = 0;
  for (let left = count; left > 0 && index < text.length; left -= 1) {
    const pair =
      isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1));
    index += pair ? 2 : 1;
  }
  return index;
}

/** Index before the last `count` code points. */
function indexBefore(text: string, count: number): number {
  let index = text.length;
  for (let left = count; left > 0 && index > 0; left -= 1) {
    const pair =
      isLowSurrogate(text.charCodeAt(index - 1)) && isHighSurrogate(text.charCodeAt(index - 2));
    index -= pair ? 2 : 1;
  }
  return index;
}

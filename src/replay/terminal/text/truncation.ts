import type { TruncateSide } from '../../../../env/query.ts';

/** A whole text, and which part of it the model saw. */
export interface CutText {
  /** Shown before the mark. */
  readonly head: string;
  /** What the model did not see. */
  readonly cut: string;
  /** Shown after the mark. */
  readonly tail: string;
}

/**
 * Finds in the whole text what truncation left of it. Undefined if the two do not belong together, as when the database
 * has changed since: then nobody knows what was cut.
 */
export function findCut(shown: string, whole: string, side: TruncateSide): CutText | undefined {
  const mark = MARKS[side];
  for (let at = shown.indexOf(mark); at !== -1; at = shown.indexOf(mark, at + 1)) {
    const head = shown.slice(0, at);
    const tail = shown.slice(at + mark.length);
    if (side === 'left' && at > 0) return undefined;
    if (side === 'right' && tail !== '') continue;
    if (whole.startsWith(head) && whole.endsWith(tail)) {
      const end = whole.length - tail.length;
      // For a limit of 1, head is empty and tail the whole text: nothing was cut though the mark is there.
      return { head, cut: end > head.length ? whole.slice(head.length, end) : '', tail };
    }
  }
  return undefined;
}

/** As env/truncate.ts writes them; a text of the model's own can hold one too, so each is tried. */
const MARKS: Readonly<Record<TruncateSide, string>> = {
  middle: '...(truncated)...',
  left: '(truncated)...',
  right: '...(truncated)',
};

/** Characters (code points) that truncation took, from what is recorded; at least 0. */
export function cutCount(shown: string, side: TruncateSide, textSize: number): number {
  const mark = MARKS[side].length;
  return Math.max(0, textSize - (codePointCount(shown) - mark));
}

/** Code points of a text. */
export function codePointCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

import { diffWordsWithSpace, structuredPatch } from 'diff';
import type { StyledText } from './wrap.ts';
import { wrapStyled } from './wrap.ts';
import type { Line } from './line.ts';

/** A diff of texts that share nothing would take minutes; after this it is shown as all removed and all added. */
const DIFF_MS_MAX = 1_000;
const CONTEXT_LINES = 3;
/** Changed parts within a line are only looked for in lines of at most this many characters. */
const LINE_SIZE_MAX = 20_000;

/** One line of a unified diff, in its styles. */
export type DiffLine = readonly StyledText[];

/**
 * A unified diff with the changed parts of lines marked. A line's mark (`-`, `+`, blank) is its first character, so it can be
 * read without colours. Empty if the texts are equal.
 */
export function unifiedDiff(
  oldText: string,
  newText: string,
  oldName: string,
  newName: string,
): readonly DiffLine[] {
  if (oldText === newText) return [];
  const options = { context: CONTEXT_LINES, timeout: DIFF_MS_MAX };
  const patch = structuredPatch(oldName, newName, oldText, newText, '', '', options);
  const head: DiffLine[] = [
    [{ text: `--- ${oldName}`, style: 'removed' }],
    [{ text: `+++ ${newName}`, style: 'added' }],
  ];
  if (patch === undefined) return [...head, ...whollyChanged(oldText, newText)];
  // That neither text ends with a line break is no difference; that only one of them does is.
  const marked = oldText.endsWith('\n') !== newText.endsWith('\n');
  return [
    ...head,
    ...patch.hunks.flatMap((hunk) =>
      hunkLines(marked ? hunk : { ...hunk, lines: hunk.lines.filter(isOfText) }),
    ),
  ];
}

/** Breaks an observation into a line a row, so that a diff of two of them shows rows. Only for reading. */
export function rowsAsLines(observation: string): string {
  return observation.replaceAll('], [', '],\n[').replace('"rows": [[', '"rows": [\n[');
}

/** Lays out a diff in lines of at most `width` columns. */
export function wrapDiff(lines: readonly DiffLine[], width: number): Line[] {
  return lines.flatMap((line) => wrapStyled(line, width));
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function hunkLines(hunk: Hunk): DiffLine[] {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  const lines: DiffLine[] = [
    [{ text: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, style: 'accent' }],
  ];
  for (let index = 0; index < hunk.lines.length; index += 1) {
    const line = hunk.lines[index] ?? '';
    const next = hunk.lines[index + 1] ?? '';
    const alone = isAloneChange(hunk.lines, index);
    if (alone && line.length + next.length <= LINE_SIZE_MAX) {
      lines.push(...changedPair(line.slice(1), next.slice(1)));
      index += 1;
    } else {
      lines.push([{ text: line, style: styleOf(line) }]);
    }
  }
  return lines;
}

/** Not the remark that no line break follows. */
function isOfText(line: string): boolean {
  return !line.startsWith('\\');
}

/** One line removed and one added in its place. */
function isAloneChange(lines: readonly string[], index: number): boolean {
  const mark = (at: number): string => lines[at]?.charAt(0) ?? '';
  return (
    mark(index) === '-' &&
    mark(index + 1) === '+' &&
    mark(index - 1) !== '-' &&
    mark(index + 2) !== '+'
  );
}

function changedPair(oldLine: string, newLine: string): DiffLine[] {
  const removed: StyledText[] = [{ text: '-', style: 'removed' }];
  const added: StyledText[] = [{ text: '+', style: 'added' }];
  for (const part of diffWordsWithSpace(oldLine, newLine)) {
    if (!part.added)
      removed.push({ text: part.value, style: part.removed ? 'removed_part' : 'removed' });
    if (!part.removed) added.push({ text: part.value, style: part.added ? 'added_part' : 'added' });
  }
  return [removed, added];
}

function whollyChanged(oldText: string, newText: string): DiffLine[] {
  return [
    ...oldText.split('\n').map((line): DiffLine => [{ text: `-${line}`, style: 'removed' }]),
    ...newText.split('\n').map((line): DiffLine => [{ text: `+${line}`, style: 'added' }]),
  ];
}

function styleOf(line: string): StyledText['style'] {
  if (line.startsWith('-')) return 'removed';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('\\') ? 'dim' : 'plain';
}

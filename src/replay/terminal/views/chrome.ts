import { seenTasks } from '../state/views.ts';
import type { State } from '../state/state.ts';
import { countText } from '../text/format.ts';
import { blank, lineWidth, type Line } from '../text/line.ts';
import { visible } from '../text/visible.ts';
import { fitLine, type StyledText } from '../text/wrap.ts';

/** A key and what it does, for the last line. */
export type Hint = readonly [key: string, does: string];

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Styled texts as one line. */
export function styledLine(parts: readonly StyledText[]): Line {
  return parts.flatMap(({ text, style }) => visible(text, style));
}

/** A line with something at its right end; the left part gives way. */
export function splitLine(left: Line, right: Line, width: number): Line {
  const rightWidth = lineWidth(right);
  if (rightWidth + 10 > width) return fitLine(left, width);
  return [...fitLine(left, width - rightWidth - 1), blank(1), ...right];
}

/** The first line of every view. */
export function headerLine(
  trail: readonly string[],
  right: readonly StyledText[],
  width: number,
): Line {
  const left: StyledText[] = [{ text: ' sqlenv replay', style: 'title' }];
  for (const part of trail)
    left.push({ text: ' › ', style: 'dim' }, { text: part, style: 'strong' });
  return splitLine(styledLine(left), styledLine([...right, { text: ' ', style: 'plain' }]), width);
}

/** The line above the keys: the last message, and what is under way. */
export function statusLine(state: State, width: number): Line {
  const message = messageLine(state.status);
  const running = seenTasks(state).at(-1);
  if (running === undefined) return fitLine(message, width);
  const { label, count, totalCount } = running;
  const spinner = SPINNER[state.tick % SPINNER.length] ?? '';
  const progress = totalCount > 0 ? ` ${countText(count)} of ${countText(totalCount)}` : '';
  const work = styledLine([
    { text: ` ${spinner} `, style: 'accent' },
    { text: `${label}${progress} `, style: 'plain' },
  ]);
  const cancel = styledLine([
    { text: 'esc', style: 'key' },
    { text: ' cancels ', style: 'dim' },
  ]);
  return message.length === 0
    ? splitLine(work, cancel, width)
    : splitLine(message, [...work, ...cancel], width);
}

function messageLine(status: State['status']): Line {
  if (status === undefined) return [];
  const { kind, text } = status;
  const mark = kind === 'good' ? '✓ ' : kind === 'bad' ? '✗ ' : kind === 'warn' ? '! ' : '';
  return styledLine([{ text: ` ${mark}${text}`, style: kind === 'info' ? 'plain' : kind }]);
}

/** Keys at the end that are always shown: how to get out, and help. */
const KEPT_HINT_COUNT = 2;

/** The last line: keys, as many as fit; the last two of them always. */
export function hintLine(hints: readonly Hint[], width: number): Line {
  const shown = hints.slice(0, -KEPT_HINT_COUNT).map(hintSpans);
  const last = hints
    .slice(-KEPT_HINT_COUNT)
    .flatMap((hint, index) => [...(index === 0 ? [] : [blank(2)]), ...hintSpans(hint)]);
  let room = width - lineWidth(last) - 1;
  const line: Line[number][] = [blank(1)];
  for (const spans of shown) {
    const used = lineWidth(spans) + 2;
    if (used > room) break;
    line.push(...spans, blank(2));
    room -= used;
  }
  return fitLine([...line, ...last], width);
}

function hintSpans([key, does]: Hint): Line {
  return styledLine([
    { text: key, style: 'key' },
    { text: ` ${does}`, style: 'dim' },
  ]);
}

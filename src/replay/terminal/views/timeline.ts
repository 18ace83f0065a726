import type { Trajectory, TrajectoryStep } from '../../../../env/trajectory.ts';
import { statusStyle, verdictStyle } from '../text/describe.ts';
import { lineWidth, restyled, type Line, type Style } from '../text/line.ts';
import { visible } from '../text/visible.ts';
import { fitLine } from '../text/wrap.ts';
import { styledLine } from './chrome.ts';

/** The pages of an episode as a row of steps, the shown one in brackets; it moves along so that it stays in sight. */
export function timelineLine(trajectory: Trajectory, page: number, width: number): Line {
  const chips: Line[] = [
    chip('prompt', '', 'plain', page === 0),
    ...trajectory.steps.map((step, index) => {
      const { mark, style } = stepMark(step);
      return chip(String(index), mark, style, page === index + 1);
    }),
    verdictChip(trajectory, page > trajectory.steps.length),
  ];
  const link = styledLine([{ text: '─', style: 'border' }]);
  let first = 0;
  const usedUpTo = (start: number): number =>
    chips.slice(start, page + 2).reduce((sum, one) => sum + lineWidth(one) + 1, 2);
  while (first < page && usedUpTo(first) > width) first += 1;
  const start = styledLine([{ text: first > 0 ? '…' : ' ', style: 'dim' }]);
  return fitLine(
    [
      ...start,
      ...chips.slice(first).flatMap((one, index) => (index === 0 ? one : [...link, ...one])),
    ],
    width,
  );
}

/** How a step went, in one character. */
function stepMark(step: TrajectoryStep): { readonly mark: string; readonly style: Style } {
  if (step.queries.length === 0) return { mark: '★', style: 'accent' };
  const bad = step.queries.find((query) => query.status !== 'ok');
  if (bad !== undefined) return { mark: '✗', style: statusStyle(bad.status) };
  return step.queries.some((query) => query.text_truncated)
    ? { mark: '✂', style: 'cut' }
    : { mark: '✓', style: 'good' };
}

function verdictChip({ grade, end }: Trajectory, current: boolean): Line {
  if (grade === null) return chip(end, '', 'dim', current);
  return chip('verdict', grade.reward > 0 ? '●' : '○', verdictStyle(grade.verdict), current);
}

function chip(name: string, mark: string, style: Style, current: boolean): Line {
  const line = [
    ...visible(current ? '[' : ' ', 'accent'),
    ...visible(name, current ? 'strong' : 'plain'),
    ...visible(mark === '' ? '' : ` ${mark}`, style),
    ...visible(current ? ']' : ' ', 'accent'),
  ];
  return current ? restyled(line, 'selected') : line;
}

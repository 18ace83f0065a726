import type { AnswerComparison, RowDifference } from '../ports.ts';
import { h, type Child } from './dom.ts';
import { counted, countText } from './format.ts';
import { visibleText } from './visible-text.ts';

type Kind = RowDifference['kind'];

/** Sign and words of each kind, so that no colour has to be seen. */
const KINDS: readonly { readonly kind: Kind; readonly sign: string; readonly title: string }[] = [
  { kind: 'same', sign: '=', title: 'same' },
  { kind: 'missing', sign: '−', title: 'missing in the answer' },
  { kind: 'extra', sign: '+', title: 'extra in the answer' },
  { kind: 'order', sign: '↕', title: 'in another place' },
  { kind: 'types', sign: '≈', title: 'equal, of another type' },
];

/** The rows of gold and answer side by side, with their counts. */
export function diffTable(comparison: AnswerComparison, heldRowCount: number): Child[] {
  const { gold, answer, rows } = comparison;
  if (answer === undefined || gold.status !== 'ok' || answer.status !== 'ok') return [];
  const goldWidth = Math.max(gold.columns.length, 1);
  const answerWidth = Math.max(answer.columns.length, 1);
  const table = h('table', { class: 'data diff' }, [
    h('caption', { class: 'unseen' }, 'Rows of the gold and of the answer'),
    h('thead', {}, [
      h('tr', {}, [
        h('th', { rowspan: 2, scope: 'col' }, h('span', { class: 'unseen' }, 'Kind')),
        h(
          'th',
          { colspan: goldWidth, scope: 'colgroup' },
          `Gold · ${counted(gold.rowCount, 'row')}`,
        ),
        h(
          'th',
          { colspan: answerWidth, scope: 'colgroup', class: 'answer-side' },
          `Answer · ${counted(answer.rowCount, 'row')}`,
        ),
      ]),
      h('tr', {}, headCells(gold.columns, ''), headCells(answer.columns, 'answer-side')),
    ]),
    h(
      'tbody',
      {},
      rows.map((row) => diffRow(row, goldWidth, answerWidth)),
    ),
  ]);
  const onlyDifferences = h('input', {
    type: 'checkbox',
    onchange: (event) => {
      table.classList.toggle('only-differences', (event.target as HTMLInputElement).checked);
    },
  });
  return [
    h('p', { class: 'counts' }, countBadges(comparison)),
    h('label', { class: 'check' }, onlyDifferences, ' Show the differences only'),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Row differences' },
      table,
    ),
    boundNotes(comparison, heldRowCount),
  ];
}

function countBadges({ counts }: AnswerComparison): HTMLElement[] {
  return KINDS.filter(({ kind }) => counts[kind] > 0).map(({ kind, sign, title }) =>
    h('span', { class: `badge diff-${kind}` }, `${sign} ${countText(counts[kind])} ${title}`),
  );
}

function headCells(columns: readonly string[], className: string): HTMLElement[] {
  if (columns.length === 0) return [h('th', { class: className }, '')];
  return columns.map((name, place) =>
    h('th', { scope: 'col', class: place === 0 ? className : undefined }, visibleText(name)),
  );
}

function diffRow(
  { kind, gold, answer }: RowDifference,
  goldWidth: number,
  answerWidth: number,
): HTMLElement {
  const shown = KINDS.find((one) => one.kind === kind);
  return h('tr', { class: `diff-${kind}` }, [
    h('th', { scope: 'row', title: shown?.title, 'aria-label': shown?.title }, shown?.sign),
    sideCells(gold, answer, goldWidth, ''),
    sideCells(answer, gold, answerWidth, 'answer-side'),
  ]);
}

function sideCells(
  cells: readonly string[] | undefined,
  others: readonly string[] | undefined,
  width: number,
  className: string,
): HTMLElement[] {
  if (cells === undefined) return [h('td', { colspan: width, class: `absent ${className}` }, '')];
  return cells.map((cell, place) => {
    const differs = others !== undefined && others[place] !== cell;
    const side = place === 0 ? className : '';
    return h('td', { class: differs ? `${side} differs` : side }, visibleText(cell));
  });
}

function boundNotes(
  { rows, counts, gold, answer }: AnswerComparison,
  heldRowCount: number,
): Child[] {
  const total = KINDS.reduce((sum, { kind }) => sum + counts[kind], 0);
  const notes: string[] = [];
  if (rows.length < Math.max(total, heldRowCount)) {
    notes.push(
      `${countText(rows.length)} of ${counted(Math.max(total, heldRowCount), 'row')} are shown, differences before rows that are the same; the counts are over all.`,
    );
  }
  if (gold.capped || answer?.capped === true) {
    notes.push('A cap cut a result: only its first rows were compared.');
  }
  return notes.map((note) => h('p', { class: 'muted' }, note));
}

import { h } from './dom.ts';

/** What is listed. */
export interface RowSource {
  /** Says what the list holds, for those who can't see it. */
  readonly label: string;
  /** The row of column headers. */
  readonly header: HTMLElement;
  readonly columnCount: number;
  /** Makes the row of an index, with `role="row"`. */
  render(index: number): HTMLElement;
  /** Enter or a click on the row. */
  open(index: number): void;
  /** A row became the selected one. */
  onSelect?(index: number): void;
}

/** A list of any length of which only the rows in sight are in the document. */
export interface VirtualRows {
  readonly element: HTMLElement;
  readonly selected: number;
  /** Shows this many rows, all made anew, the selected one as far as it is still there. */
  show(count: number, selected: number): void;
  select(index: number): void;
  /** Moves by rows; a page is what is in sight. Gives whether the key was one of its own. */
  onKey(key: string): boolean;
  close(): void;
}

/** Rows above and below those in sight, so that a scrolled frame is not empty. */
const OVERSCAN = 6;
/** On paper there is no scrolling; more than these would be a book. */
const PRINTED_COUNT_MAX = 1_000;

/** Makes a list as a grid of ARIA: it has the focus itself and names its active row. */
export function virtualRows(source: RowSource): VirtualRows {
  return new RowWindow(source);
}

class RowWindow implements VirtualRows {
  readonly element: HTMLElement;
  selected = 0;
  readonly #source: RowSource;
  readonly #space: HTMLElement;
  #count = 0;
  #rowHeight = 48;
  #rows = new Map<number, HTMLElement>();
  #frame = 0;
  readonly #stopping = new AbortController();

  constructor(source: RowSource) {
    this.#source = source;
    this.#space = h('div', { class: 'rows-space', role: 'rowgroup' });
    this.element = h(
      'div',
      {
        class: 'rows',
        role: 'grid',
        tabindex: 0,
        'aria-label': source.label,
        'aria-colcount': source.columnCount,
      },
      h('div', { class: 'rows-head', role: 'rowgroup' }, source.header),
      this.#space,
    );
    this.element.addEventListener('scroll', () => this.#paintSoon(), { passive: true });
    this.#space.addEventListener('click', (event) => this.#onClick(event));
    const { signal } = this.#stopping;
    window.addEventListener('resize', () => this.#paintSoon(), { signal });
    window.addEventListener('beforeprint', () => this.#paint(PRINTED_COUNT_MAX), { signal });
    window.addEventListener('afterprint', () => this.#paint(), { signal });
  }

  show(count: number, selected: number): void {
    this.#count = count;
    this.#rows.clear();
    this.#space.replaceChildren();
    this.element.setAttribute('aria-rowcount', String(count + 1));
    this.selected = Math.max(0, Math.min(selected, count - 1));
    this.#paint();
    this.#reveal();
    this.#paint();
  }

  select(index: number): void {
    if (this.#count === 0) return;
    this.selected = Math.max(0, Math.min(index, this.#count - 1));
    this.#reveal();
    this.#paint();
    this.#source.onSelect?.(this.selected);
  }

  onKey(key: string): boolean {
    const page = Math.max(1, Math.floor(this.#bodyHeight() / this.#rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      j: this.selected + 1,
      ArrowDown: this.selected + 1,
      k: this.selected - 1,
      ArrowUp: this.selected - 1,
      PageDown: this.selected + page,
      PageUp: this.selected - page,
      Home: 0,
      End: this.#count - 1,
    };
    const target = moves[key];
    if (target !== undefined) this.select(target);
    else if (key === 'Enter' && this.#count > 0) this.#source.open(this.selected);
    else return false;
    return true;
  }

  close(): void {
    this.#stopping.abort();
    cancelAnimationFrame(this.#frame);
  }

  #onClick(event: MouseEvent): void {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    // Links and buttons in a row do what they say; with a modifier the browser does.
    if (row === null || event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest('a, button') !== null) return;
    const index = Number(row.getAttribute('data-index'));
    this.select(index);
    this.#source.open(index);
  }

  #paintSoon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #headHeight(): number {
    return this.#space.offsetTop;
  }

  #bodyHeight(): number {
    return this.element.clientHeight - this.#headHeight();
  }

  #reveal(): void {
    const top = this.selected * this.#rowHeight;
    const { scrollTop } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    const bottom = top + this.#rowHeight - this.#bodyHeight();
    if (bottom > this.element.scrollTop) this.element.scrollTop = bottom;
  }

  #paint(printedCount = 0): void {
    const declared = getComputedStyle(this.element).getPropertyValue('--row-height');
    const rowHeight = Number.parseFloat(declared) || 48;
    this.#rowHeight = rowHeight;
    this.#space.style.height = `${this.#count * rowHeight}px`;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - OVERSCAN);
    const inSight = Math.ceil(this.element.clientHeight / rowHeight);
    const printing = printedCount > 0;
    const from = printing ? 0 : first;
    const to = Math.min(this.#count, printing ? printedCount : first + inSight + 2 * OVERSCAN);
    const rows = new Map<number, HTMLElement>();
    for (let index = from; index < to; index += 1) rows.set(index, this.#row(index));
    for (const [index, row] of this.#rows) if (!rows.has(index)) row.remove();
    this.#place(rows.values());
    this.#rows = rows;
    this.element.setAttribute('aria-activedescendant', rows.get(this.selected)?.id ?? '');
  }

  /** In order, and without touching rows that are in their place: one of them may hold the focus. */
  #place(rows: Iterable<HTMLElement>): void {
    let next = this.#space.firstChild;
    for (const row of rows) {
      if (row === next) next = next.nextSibling;
      else this.#space.insertBefore(row, next);
    }
  }

  #row(index: number): HTMLElement {
    const row = this.#rows.get(index) ?? this.#source.render(index);
    row.id = `row-${index}`;
    row.setAttribute('data-index', String(index));
    row.setAttribute('aria-rowindex', String(index + 2));
    row.setAttribute('aria-selected', String(index === this.selected));
    row.style.top = `${index * this.#rowHeight}px`;
    return row;
  }
}

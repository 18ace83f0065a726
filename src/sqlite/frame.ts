import type { SqlRow, SqlValue } from '../../env/compare/value.ts';
import type { NativeGuard } from './native-guard.ts';

/** What `native/statements.c` calls the kinds of cells. */
const KIND = { null: 0, integer: 1, real: 2, text: 3, invalidText: 4 } as const;

/** How a fetch of `native/statements.c` ended. */
export const FETCH = { more: 0, done: 1, error: 2, noRoom: 3 } as const;

/** Cells and bytes of one fetch. Small, since what is fetched beyond a cap was fetched in vain. */
const CELL_COUNT = 4_096;
const BYTE_COUNT = 65_536;

/** Where the guard puts rows, and how they are read from there. Each thread has one, and makes it larger for a row that needs it. */
export class Frame {
  readonly #guard: NativeGuard;
  readonly #out = new Int32Array(5);
  #cells = new Float64Array(0);
  #integers = new BigInt64Array(0);
  #kinds = new Uint8Array(0);
  #bytes = Buffer.alloc(0);
  #isLarge = true;

  constructor(guard: NativeGuard) {
    this.#guard = guard;
    this.#use(BYTE_COUNT);
  }

  /** Fetches rows of a statement. Returns how that ended: one of {@link FETCH}, but never `noRoom`. */
  fetch(statement: number, rowCountMax: number): number {
    if (this.#isLarge) this.#use(BYTE_COUNT);
    const ended = this.#guard.fetch(statement, rowCountMax);
    if (ended !== FETCH.noRoom) return ended;
    this.#use(Math.max(BYTE_COUNT, this.#out[4] ?? 0));
    return this.#guard.fetch(statement, rowCountMax);
  }

  /** SQLite's code after a fetch that ended in an error. */
  get errorCode(): number {
    return this.#out[3] ?? 0;
  }

  /** The rows of the last fetch. */
  rows(columnCount: number): SqlRow[] {
    const [rowCount = 0, textSize = 0, isAscii] = this.#out;
    const text = this.#bytes.toString(isAscii === 1 ? 'latin1' : 'utf8', 0, textSize);
    const rows: SqlRow[] = [];
    let cell = 0;
    let textAt = 0;
    let otherAt = this.#bytes.length;
    for (let index = 0; index < rowCount; index += 1) {
      const row: SqlValue[] = [];
      for (const end = cell + columnCount; cell < end; cell += 1) {
        const kind = this.#kinds[cell];
        if (kind === KIND.null) {
          row.push(null);
        } else if (kind === KIND.integer) {
          row.push(this.#integers[cell] ?? 0n);
        } else {
          // A number, or the size of what is elsewhere.
          const value = this.#cells[cell] ?? 0;
          if (kind === KIND.real) {
            row.push(value);
          } else if (kind === KIND.text) {
            row.push(text.slice(textAt, textAt + value));
            textAt += value;
          } else {
            const bytes = Uint8Array.from(this.#bytes.subarray(otherAt - value, otherAt));
            row.push(kind === KIND.invalidText ? { textBytes: bytes } : bytes);
            otherAt -= value;
          }
        }
      }
      rows.push(row);
    }
    return rows;
  }

  #use(byteCount: number): void {
    const cells = new Float64Array(CELL_COUNT);
    const kinds = new Uint8Array(CELL_COUNT);
    const bytes = Buffer.alloc(byteCount);
    // The guard writes there from here on, so all of it is kept from here on, whatever happens.
    this.#guard.useFrame(cells, kinds, bytes, this.#out);
    this.#cells = cells;
    this.#integers = new BigInt64Array(cells.buffer);
    this.#kinds = kinds;
    this.#bytes = bytes;
    this.#isLarge = byteCount > BYTE_COUNT;
  }
}

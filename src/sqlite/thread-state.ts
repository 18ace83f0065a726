const IDLE = 0;
const BUSY = 1;
const DOOMED = 2;

/**
 * What a thread is doing, in memory that it shares with the main thread. A thread that is ended while it is inside
 * better-sqlite3 takes the whole process with it ("v8::ToLocalChecked Empty MaybeLocal": in a thread that is ending no error
 * can be made), so whoever wants to end one says so here, and it goes as soon as it is out of there.
 */
export class ThreadState {
  /** What makes the same state on the other side. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  /** The thread starts a query. False if it must end instead. */
  begin(queryId: number): boolean {
    Atomics.store(this.#words, 1, queryId);
    return Atomics.compareExchange(this.#words, 0, IDLE, BUSY) === IDLE;
  }

  /** The thread has finished its query. False if it must end instead of answering. */
  finish(): boolean {
    return Atomics.compareExchange(this.#words, 0, BUSY, IDLE) === BUSY;
  }

  /** The thread is to end. Gives the query that it must finish first; undefined if it is idle, and stays so. */
  doom(): number | undefined {
    const before = Atomics.exchange(this.#words, 0, DOOMED);
    return before === BUSY ? Atomics.load(this.#words, 1) : undefined;
  }
}

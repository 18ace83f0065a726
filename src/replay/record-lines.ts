/** One line of a file. */
export interface RecordLine {
  /** Without its newline; valid until the callback returns. Undefined if the line is longer than {@link LINE_BYTES_MAX}. */
  readonly bytes: Buffer | undefined;
  /** Of its first byte in the file. */
  readonly offset: number;
  /** From 1. */
  readonly lineNumber: number;
  /** False for a last line without a newline. */
  readonly ended: boolean;
}

/** Longest line that is read. The recorder drops what is larger than 64 MB, and a text of 512 MB can't be had in V8. */
export const LINE_BYTES_MAX = 128 * 1024 * 1024;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Cuts a file into lines, chunk by chunk: what is in memory is one chunk, and one line that began in an earlier one. Lines
 * that are too long are passed over without being kept.
 */
export class LineSplitter {
  readonly #onLine: (line: RecordLine) => void;
  readonly #bytesMax: number;
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #lineOffset = 0;
  #lineNumber = 1;

  constructor(onLine: (line: RecordLine) => void, bytesMax = LINE_BYTES_MAX) {
    this.#onLine = onLine;
    this.#bytesMax = bytesMax;
  }

  /** Takes the next bytes of the file; their buffer may be used again afterwards. */
  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.#finish(chunk.subarray(start, end), true);
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    this.#begunBytes += rest.length;
    if (this.#begunBytes > this.#bytesMax) this.#begun = [];
    else if (rest.length > 0) this.#begun.push(Buffer.from(rest));
  }

  /** Hands out a last line that has no newline, if there is one. */
  end(): void {
    if (this.#begunBytes > 0) this.#finish(Buffer.alloc(0), false);
  }

  #finish(last: Buffer, ended: boolean): void {
    const size = this.#begunBytes + last.length;
    let bytes: Buffer | undefined;
    if (size <= this.#bytesMax) {
      bytes = this.#begunBytes === 0 ? last : Buffer.concat([...this.#begun, last], size);
    }
    let offset = this.#lineOffset;
    if (offset === 0 && bytes?.subarray(0, 3).equals(BYTE_ORDER_MARK) === true) {
      bytes = bytes.subarray(3);
      offset = 3;
    }
    this.#onLine({ bytes, offset, lineNumber: this.#lineNumber, ended });
    this.#begun = [];
    this.#begunBytes = 0;
    this.#lineOffset += size + (ended ? 1 : 0);
    this.#lineNumber += 1;
  }
}

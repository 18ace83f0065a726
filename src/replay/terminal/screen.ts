import { Writable } from 'node:stream';
import { FrameWriter, type CursorPlace } from './frame.ts';
import type { Size } from './state/state.ts';

const ESC = '\x1b[';
/** Other screen, no wrapping at the edge, pastes marked, no turning of right-to-left text (that would turn frames too). */
const ENTER = `${ESC}?1049h${ESC}?7l${ESC}?2004h${ESC}8l${ESC}?25l`;
const LEAVE = `${ESC}0m${ESC}8h${ESC}?2004l${ESC}?7h${ESC}?25h${ESC}?1049l`;

/** The terminal's other screen while the program has it. */
export class TerminalScreen {
  readonly #output: NodeJS.WriteStream;
  readonly #writer = new FrameWriter();
  readonly #cursor: () => CursorPlace | undefined;
  #entered = false;

  constructor(output: NodeJS.WriteStream, cursor: () => CursorPlace | undefined) {
    this.#output = output;
    this.#cursor = cursor;
  }

  /** Of the terminal now. */
  get size(): Size {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** Goes to the other screen; idempotent. */
  enter(): void {
    if (this.#entered) return;
    this.#entered = true;
    this.#writer.forget();
    this.#output.write(ENTER);
  }

  /** Gives the terminal back as it was; idempotent, and written before it returns. */
  leave(): void {
    if (!this.#entered) return;
    this.#entered = false;
    this.#output.write(LEAVE);
  }

  /** The next frame is drawn whole. */
  forget(): void {
    this.#writer.forget();
  }

  /** Shows a frame: lines with style codes. */
  show(frame: string): void {
    if (!this.#entered) return;
    const bytes = this.#writer.next(frame, this.size.rows, this.#cursor());
    if (bytes !== '') this.#output.write(bytes);
  }

  /**
   * A stream for ink to write whole frames to. Ink's own way of drawing clears the screen for every frame that fills it; its debug
   * mode hands frames over as they are.
   */
  inkOutput(): NodeJS.WriteStream {
    const stream = new Writable({
      decodeStrings: false,
      write: (frame: string, _encoding, done) => {
        if (frame !== '' && frame !== '\n') this.show(frame);
        done();
      },
    });
    const columns = (): number => this.size.columns;
    const rows = (): number => this.size.rows;
    // Not a terminal: ink leaves cursor and modes alone then.
    const facts = { isTTY: false };
    Object.defineProperties(stream, { columns: { get: columns }, rows: { get: rows } });
    return Object.assign(stream, facts) as unknown as NodeJS.WriteStream;
  }
}

import { Writable } from 'node:stream';
import { FrameWriter, type CursorPlace } from './frame.ts';
import type { Size } from './state/state.ts';
import type { Line } from './text/line.ts';
import type { Theme } from './theme.ts';

const ESC = '\x1b[';
/** Other screen, no wrapping at the edge, pastes marked, no turning of right-to-left text (that would turn frames too). */
const ENTER = `${ESC}?1049h${ESC}?7l${ESC}?2004h${ESC}8l${ESC}?25l`;
const LEAVE = `${ESC}0m${ESC}8h${ESC}?2004l${ESC}?7h${ESC}?25h${ESC}?1049l`;

/** The terminal's other screen while the program has it. */
export class TerminalScreen {
  readonly #output: NodeJS.WriteStream;
  readonly #writer: FrameWriter;
  #entered = false;

  constructor(output: NodeJS.WriteStream, theme: Theme) {
    this.#output = output;
    this.#writer = new FrameWriter(theme);
  }

  /** Of the terminal now. */
  get size(): Size {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  /** Says that something is on its way, before there is a frame to show. */
  announce(text: string): void {
    if (this.#entered) this.#output.write(`${ESC}0m${ESC}2J${ESC}1;1H ${text}`);
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

  /** Shows a frame. */
  show(lines: readonly Line[], cursor: CursorPlace | undefined): void {
    if (!this.#entered) return;
    const bytes = this.#writer.next(lines, cursor, this.size.columns);
    if (bytes !== '') this.#output.write(bytes);
  }
}

/**
 * Takes what ink writes. Ink lays out and tokenizes the whole screen again for every key: that took 40 ms of CPU time for 120x40
 * where drawing takes 4, and it clears a screen that is full before each frame. So the screen is drawn here, from the same
 * state, and ink has the keys, the raw mode and the tree's life.
 */
export function inkSink(): NodeJS.WriteStream {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Not a terminal: ink leaves cursor and modes alone then.
  const facts = { isTTY: false, columns: 80, rows: 24 };
  return Object.assign(stream, facts) as unknown as NodeJS.WriteStream;
}

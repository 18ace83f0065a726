/** One key press, or a paste. */
export interface Key {
  /** `a`, `G`, `space` is ` `; `enter`, `escape`, `tab`, `shift-tab`, `up`, `ctrl-s`, `alt-enter`, ...; `paste`. */
  readonly id: string;
  /** What it types into an editor; empty for keys that type nothing. Pastes keep their line breaks as `\n`. */
  readonly text: string;
}

/** What ink tells of a key, as far as it is used. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
}

const NAMED: readonly (readonly [keyof RawKey, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'page-down'],
  ['pageUp', 'page-up'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

const PASTE_START = '[200~';
const PASTE_END = '[201~';
/** Ctrl-Enter, from terminals that tell it apart: xterm's modifyOtherKeys and the kitty protocol. */
const CTRL_ENTER = new Set(['[27;5;13~', '[13;5u']);
const SEQUENCE = /^[[O][\d;?<>=:]*[ -/]*[@-~]$/;

/**
 * Turns what ink reads into keys. One object for a terminal: a paste comes in several pieces between two marks, and what is
 * inside is text, whatever it looks like.
 */
export class KeyReader {
  #paste: string[] | undefined;

  /** Keys of one event of ink; several if they were typed faster than they were read. */
  read(input: string, raw: RawKey): Key[] {
    if (this.#paste !== undefined) return this.#readPaste(this.#paste, input, raw);
    if (input === PASTE_START) {
      this.#paste = [];
      return [];
    }
    if (CTRL_ENTER.has(input)) return [{ id: 'ctrl-enter', text: '' }];
    const name = NAMED.find(([field]) => raw[field])?.[1];
    if (name !== undefined) return [{ id: modified(name, raw), text: '' }];
    if (raw.ctrl && input.length === 1) return [{ id: `ctrl-${input}`, text: '' }];
    if (raw.meta && input.length === 1) return [{ id: `alt-${input}`, text: '' }];
    if (input === '' || (input.length > 1 && SEQUENCE.test(input))) return [];
    return Array.from(input.replaceAll('\r\n', '\r'), typedKey);
  }

  #readPaste(paste: string[], input: string, raw: RawKey): Key[] {
    if (input === PASTE_END) {
      this.#paste = undefined;
      const text = paste.join('').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
      return text === '' ? [] : [{ id: 'paste', text }];
    }
    if (raw.return) paste.push('\n');
    else if (raw.tab) paste.push('\t');
    else paste.push(input);
    return [];
  }
}

function modified(name: string, raw: RawKey): string {
  // Ink takes Esc itself for a meta key.
  const alt = raw.meta && name !== 'escape' ? 'alt-' : '';
  const ctrl = raw.ctrl ? 'ctrl-' : '';
  const shift = raw.shift && (name === 'tab' || name === 'enter') ? 'shift-' : '';
  return `${ctrl}${alt}${shift}${name}`;
}

/** A character of a run that was typed faster than it was read. */
function typedKey(character: string): Key {
  const code = character.charCodeAt(0);
  if (character === '\r' || character === '\n') return { id: 'enter', text: '' };
  if (character === '\t') return { id: 'tab', text: '' };
  if (character === '\x1b') return { id: 'escape', text: '' };
  if (code === 0x7f || code === 0x08) return { id: 'backspace', text: '' };
  if (code < 0x20) return { id: `ctrl-${String.fromCharCode(code + 0x60)}`, text: '' };
  return { id: character, text: character };
}

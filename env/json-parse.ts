import { isHighSurrogate, isLowSurrogate } from './utf8.ts';

/**
 * A value that Python's `json.loads` gives. Objects are Maps, so that a key such as `__proto__` is a key like any other;
 * integers beyond 2^53 are bigints.
 */
export type JsonValue =
  null | boolean | number | bigint | string | readonly JsonValue[] | ReadonlyMap<string, JsonValue>;

/** The value, or that the text is not JSON by Python's rules. */
export type JsonParsed = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false };

/** Python's recursion limit is 1000 frames, some of which its caller has used. */
const DEPTH_MAX = 990;

/** Python refuses to convert integers of more digits (`sys.get_int_max_str_digits`). */
const INTEGER_DIGITS_MAX = 4300;

const SPACE = /[ \t\n\r]*/y;
/** Neither a quote, a backslash nor a control character. */
const PLAIN_TEXT = /[ !#-[\]-\uffff]*/y;
const NUMBER = /(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const HEX = /[0-9a-fA-F]{4}/y;

const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/**
 * Reads JSON as Python's `json.loads` does: NaN and infinities are values, control characters in strings are errors, lone
 * surrogate escapes stay, the last of two equal keys wins, a BOM is an error. Nesting near Python's recursion limit and
 * integers over its digit limit count as malformed, as they do for a caller that catches every exception.
 */
export function parsePythonJson(text: string): JsonParsed {
  const reader = new JsonReader(text);
  const value = reader.readDocument();
  return value === undefined ? { ok: false } : { ok: true, value };
}

/** Reads left to right. Every method returns undefined where the text is malformed. */
class JsonReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readDocument(): JsonValue | undefined {
    this.skipSpace();
    const value = this.readValue(1);
    this.skipSpace();
    return this.at === this.text.length ? value : undefined;
  }

  private readValue(depth: number): JsonValue | undefined {
    if (depth > DEPTH_MAX) return undefined;
    const first = this.text.charAt(this.at);
    if (first === '"') return this.readString();
    if (first === '{') return this.readObject(depth);
    if (first === '[') return this.readArray(depth);
    for (const [name, value] of LITERALS) {
      if (this.text.startsWith(name, this.at)) {
        this.at += name.length;
        return value;
      }
    }
    return this.readNumber();
  }

  private readObject(depth: number): JsonValue | undefined {
    const entries = new Map<string, JsonValue>();
    this.at += 1;
    this.skipSpace();
    if (this.take('}')) return entries;
    do {
      this.skipSpace();
      const key = this.readString();
      this.skipSpace();
      if (key === undefined || !this.take(':')) return undefined;
      this.skipSpace();
      const value = this.readValue(depth + 1);
      if (value === undefined) return undefined;
      entries.set(key, value);
      this.skipSpace();
    } while (this.take(','));
    return this.take('}') ? entries : undefined;
  }

  private readArray(depth: number): JsonValue | undefined {
    const items: JsonValue[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.take(']')) return items;
    do {
      this.skipSpace();
      const value = this.readValue(depth + 1);
      if (value === undefined) return undefined;
      items.push(value);
      this.skipSpace();
    } while (this.take(','));
    return this.take(']') ? items : undefined;
  }

  private readString(): string | undefined {
    if (!this.take('"')) return undefined;
    let value = '';
    for (;;) {
      value += this.match(PLAIN_TEXT)?.[0] ?? '';
      if (this.take('"')) return value;
      const character = this.readEscape();
      if (character === undefined) return undefined;
      value += character;
    }
  }

  private readEscape(): string | undefined {
    if (!this.take('\\')) return undefined;
    const letter = this.text.charAt(this.at);
    this.at += 1;
    return letter === 'u' ? this.readUnicodeEscape() : ESCAPES.get(letter);
  }

  private readUnicodeEscape(): string | undefined {
    const unit = this.readUnit();
    if (unit === undefined || !isHighSurrogate(unit)) return toText(unit);
    const start = this.at;
    if (!this.take('\\') || !this.take('u')) {
      this.at = start;
      return toText(unit);
    }
    const second = this.readUnit();
    if (second === undefined) return undefined;
    if (isLowSurrogate(second)) return String.fromCharCode(unit, second);
    this.at = start;
    return toText(unit);
  }

  private readUnit(): number | undefined {
    const hex = this.match(HEX)?.[0];
    return hex === undefined ? undefined : Number.parseInt(hex, 16);
  }

  private readNumber(): number | bigint | undefined {
    const found = this.match(NUMBER);
    const whole = found?.[1];
    if (!found || whole === undefined) return undefined;
    const value = Number(found[0]);
    if (found[2] !== undefined || found[3] !== undefined) return value;
    if (Number.isSafeInteger(value)) return value;
    return whole.replace('-', '').length > INTEGER_DIGITS_MAX ? undefined : BigInt(whole);
  }

  private skipSpace(): void {
    this.match(SPACE);
  }

  private take(character: string): boolean {
    if (this.text.charAt(this.at) !== character) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}

function toText(unit: number | undefined): string | undefined {
  return unit === undefined ? undefined : String.fromCharCode(unit);
}

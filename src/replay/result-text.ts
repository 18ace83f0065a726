import type { SqlValue } from '../../env/compare/value.ts';

/** A query's result, read from the whole text that a model would get. */
export interface ResultTable {
  readonly columns: readonly string[];
  /** Cells as JSON texts, to the byte: 2, 2.0 and "2" stay apart. */
  readonly rows: readonly (readonly string[])[];
}

const TEXT = /"(?:[^"\\]|\\.)*"/y;
const PLAIN = /[^\s,[\]{}"]+/y;
const SPACE = /\s*/y;
const INTEGER = /^-?\d+$/;

/**
 * Reads `{"columns": [...], "rows": [[...], ...]}`; what comes after the rows, as the note of a cap, is left out. Undefined if
 * the text is something else, for example an error or a text that was shortened.
 */
export function parseResultText(text: string): ResultTable | undefined {
  const reader = new ResultReader(text);
  return reader.read();
}

/** The message of `{"error": "..."}`; undefined for any other text. */
export function parseErrorText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
    return typeof value.error === 'string' ? value.error : undefined;
  } catch {
    return undefined;
  }
}

/** The value that a cell's JSON text stands for. A BLOB is the text of its hexadecimal digits: JSON has no bytes. */
export function cellValue(json: string): SqlValue {
  if (json.startsWith('"')) return JSON.parse(json) as string;
  if (json === 'null') return null;
  if (INTEGER.test(json)) return BigInt(json);
  return Number(json);
}

/** A cell as text: what a TEXT holds, and the JSON text of anything else. */
export function cellText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Reads left to right. Every method returns undefined where the text is something else. */
class ResultReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): ResultTable | undefined {
    if (!this.skip('{') || !this.skip('"columns"') || !this.skip(':')) return undefined;
    const columns = this.readList(() => this.readCell());
    if (columns === undefined) return undefined;
    if (!this.skip(',') || !this.skip('"rows"') || !this.skip(':')) return undefined;
    const rows = this.readList(() => this.readList(() => this.readCell()));
    if (rows === undefined || (!this.skip('}') && !this.skip(','))) return undefined;
    return { columns: columns.map(cellText), rows };
  }

  private readList<Item>(readItem: () => Item | undefined): Item[] | undefined {
    if (!this.skip('[')) return undefined;
    const items: Item[] = [];
    if (this.skip(']')) return items;
    for (;;) {
      const item = readItem();
      if (item === undefined) return undefined;
      items.push(item);
      if (this.skip(']')) return items;
      if (!this.skip(',')) return undefined;
    }
  }

  private readCell(): string | undefined {
    this.take(SPACE);
    return this.text.charAt(this.at) === '"' ? this.take(TEXT) : this.take(PLAIN);
  }

  private skip(token: string): boolean {
    this.take(SPACE);
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined || found === '') return undefined;
    this.at += found.length;
    return found;
  }
}

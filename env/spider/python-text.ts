/**
 * Where Python's idea of text differs from JavaScript's: the official scripts are Python, and these differences decide
 * what is stripped, what is split and what is a number.
 */

/** The characters that Python's `str.isspace` knows, as the inside of a character class. */
export const PYTHON_SPACE =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const SPACES = new RegExp(`[${PYTHON_SPACE}]+`, 'u');
const SPACE = new RegExp(`[${PYTHON_SPACE}]`, 'u');

const DIGITS = '[0-9]+(?:_[0-9]+)*';
const FLOAT = new RegExp(
  `^[+-]?(?:(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:e[+-]?${DIGITS})?|inf(?:inity)?|nan)$`,
  'iu',
);
const INTEGER = new RegExp(`^[+-]?${DIGITS}$`, 'u');

/** Tells whether Python calls the character a space. */
export function isPythonSpace(character: string): boolean {
  return SPACE.test(character);
}

/** `str.split()`: the runs of characters that are no spaces. */
export function pythonSplit(text: string): string[] {
  return text.split(SPACES).filter((part) => part !== '');
}

/** `str.strip()`: without spaces at both ends. */
export function pythonStrip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isPythonSpace(text.charAt(start))) start += 1;
  while (end > start && isPythonSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * `float(text)` of a text without spaces, undefined where Python raises. Digits of other scripts, which Python accepts
 * and SQLite doesn't, count as no number.
 */
export function pythonFloat(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  const plain = text.replaceAll('_', '').toLowerCase();
  if (plain.endsWith('nan')) return Number.NaN;
  if (plain.includes('inf')) return plain.startsWith('-') ? -Infinity : Infinity;
  return Number(plain);
}

/** `int(text)` of a text without spaces, undefined where Python raises. */
export function pythonInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const plain = text.replaceAll('_', '');
  return plain.startsWith('-') ? -BigInt(plain.slice(1)) : BigInt(plain.replace('+', ''));
}

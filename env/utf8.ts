const LONE_SURROGATE = /[\ud800-\udfff]/u;
const LONE_SURROGATES = /[\ud800-\udfff]/gu;

/** Size of a text in UTF-8, in bytes; a lone surrogate counts 3. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) size += 1;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      size += 2;
      index += 1;
    } else size += 2;
  }
  return size;
}

/** The longest prefix of whole code points that takes at most `bytesMax` bytes in UTF-8. */
export function utf8Prefix(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  let size = 0;
  let index = 0;
  while (index < text.length) {
    const codePoint = text.codePointAt(index) ?? 0;
    size += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    if (size > bytesMax) return text.slice(0, index);
    index += codePoint < 0x10000 ? 1 : 2;
  }
  return text;
}

/** Tells whether a text holds half a surrogate pair: no UTF-8 can hold it, so neither SQLite nor the wire can. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** Writes lone surrogates as Python's `backslashreplace` does (`\ud800`), so that any encoder can take the text. */
export function escapeLoneSurrogates(text: string): string {
  if (!LONE_SURROGATE.test(text)) return text;
  return text.replace(LONE_SURROGATES, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/** Tells whether a UTF-16 unit opens a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Tells whether a UTF-16 unit closes a surrogate pair; NaN (past the end) does not. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Python's `bytes.decode('utf-8', 'backslashreplace')`: bytes that belong to no well-formed sequence become `\xe9`. Python
 * escapes a whole ill-formed run at once; byte by byte is the same, since no byte inside such a run can start a sequence.
 */
export function decodeBackslashReplace(bytes: Uint8Array): string {
  return decode(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
}

/** Python's `bytes.decode('utf-8', 'ignore')`: invalid bytes are dropped, as the official Spider script reads TEXT. */
export function decodeIgnoringErrors(bytes: Uint8Array): string {
  return decode(bytes, () => '');
}

function decode(bytes: Uint8Array, ofInvalid: (byte: number) => string): string {
  let text = '';
  let index = 0;
  while (index < bytes.length) {
    const size = sequenceSize(bytes, index);
    text +=
      size === 0
        ? ofInvalid(bytes[index] ?? 0)
        : String.fromCodePoint(codePointAt(bytes, index, size));
    index += Math.max(1, size);
  }
  return text;
}

/** Bytes of the well-formed sequence that starts here; 0 if none does (Unicode's table of well-formed UTF-8). */
function sequenceSize(bytes: Uint8Array, index: number): number {
  const first = bytes[index] ?? 0;
  if (first < 0x80) return 1;
  const second = bytes[index + 1] ?? 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return isContinuation(second) ? 2 : 0;
  const secondMin = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const secondMax = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < secondMin || second > secondMax || !isContinuation(bytes[index + 2])) return 0;
  if (first < 0xf0) return 3;
  return isContinuation(bytes[index + 3]) ? 4 : 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte <= 0xbf;
}

function codePointAt(bytes: Uint8Array, index: number, size: number): number {
  const first = bytes[index] ?? 0;
  if (size === 1) return first;
  let codePoint = first & (0xff >> (size + 1));
  for (let offset = 1; offset < size; offset += 1) {
    codePoint = (codePoint << 6) | ((bytes[index + offset] ?? 0) & 0x3f);
  }
  return codePoint;
}

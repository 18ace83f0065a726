/**
 * UTF-8 to text, invalid bytes dropped, as Python's `decode(errors='ignore')`: the official script reads TEXT so, and
 * two texts that differ in such bytes only are equal to it.
 */
export function decodeIgnoringErrors(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length;) {
    const length = validLength(bytes, index);
    if (length > 0) text += String.fromCodePoint(codePointAt(bytes, index, length));
    index += Math.max(1, length);
  }
  return text;
}

/** The length of the valid sequence here, 0 when there is none. */
function validLength(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  const length = sequenceLength(lead);
  const second = bytes[index + 1] ?? 0;
  const [low, high] = secondByteRange(lead);
  if (length === 0 || second < low || second > high) return 0;
  for (let offset = 2; offset < length; offset += 1) {
    const byte = bytes[index + offset] ?? 0;
    if (byte < 0x80 || byte > 0xbf) return 0;
  }
  return length;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

/** Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte. */
function secondByteRange(lead: number): readonly [number, number] {
  switch (lead) {
    case 0xe0:
      return [0xa0, 0xbf];
    case 0xed:
      return [0x80, 0x9f];
    case 0xf0:
      return [0x90, 0xbf];
    case 0xf4:
      return [0x80, 0x8f];
    default:
      return [0x80, 0xbf];
  }
}

function codePointAt(bytes: Uint8Array, index: number, length: number): number {
  const lead = bytes[index] ?? 0;
  if (length === 1) return lead;
  let codePoint = lead & (0x7f >> length);
  for (let offset = 1; offset < length; offset += 1) {
    codePoint = (codePoint << 6) | ((bytes[index + offset] ?? 0) & 0x3f);
  }
  return codePoint;
}

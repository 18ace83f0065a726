/** Everything that moves a cursor or changes a terminal or the direction of text, but line ends and TABs. */
const CONTROL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A text that does nothing to the terminal that it is printed on: what models write can hold any character. */
export function printable(text: string): string {
  return text.replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

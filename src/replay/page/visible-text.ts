import { h, type Child } from './dom.ts';

/**
 * Characters that can't be seen, or that change how others are shown: controls, soft hyphens, zero widths, marks of
 * direction, odd spaces and line ends, halves of surrogate pairs. In them hides why two equal looking texts differ. The
 * joiners inside an emoji are left alone.
 */
const HIDDEN = new RegExp(
  [
    String.raw`(?![\n\t])`,
    String.raw`(?!(?<=\p{Extended_Pictographic}\u{fe0f}?)(?:\u{200d}|\u{fe0f}))`,
    String.raw`(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{a0}\u{115f}\u{1160}\u{2000}-\u{200a}\u{202f}\u{205f}\u{3164}]|\p{Variation_Selector})`,
  ].join(''),
  'gu',
);

/** A text with its hidden characters spelt out, as `U+202E` in a frame. */
export function visibleText(text: string): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push(hiddenCharacter(match[0]));
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** The same for places that hold only text, such as the title of the page. */
export function plainText(text: string): string {
  return text.replace(HIDDEN, (character) => `<${codePoint(character)}>`);
}

function hiddenCharacter(character: string): HTMLElement {
  const name = codePoint(character);
  return h('span', { class: 'hidden-character', title: `hidden character ${name}` }, name);
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * A test whether a text fits a pattern in which `*` stands for any characters, case ignored. Its time is linear in the text
 * for every pattern: a pattern is typed by a person while a hundred thousand episodes wait for it, so no backtracking.
 */
export function globTest(pattern: string): (text: string) => boolean {
  const parts = pattern.toLowerCase().split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  const inner = parts.slice(1, -1).filter((part) => part !== '');
  if (parts.length === 1) return (text) => text.toLowerCase() === first;
  return (text) => {
    const lower = text.toLowerCase();
    if (lower.length < first.length + last.length) return false;
    if (!lower.startsWith(first) || !lower.endsWith(last)) return false;
    // The earliest place of each part leaves the most for the others.
    let position = first.length;
    for (const part of inner) {
      const found = lower.indexOf(part, position);
      if (found === -1) return false;
      position = found + part.length;
    }
    return position + last.length <= lower.length;
  };
}

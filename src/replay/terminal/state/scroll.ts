/** The scroll that is shown for one that may be too large; `height` is the pane's, edges included. */
export function clampScroll(scroll: number, lineCount: number, height: number): number {
  return Math.max(0, Math.min(scroll, lineCount - Math.max(1, height - 2)));
}

/** The scroll after a key; undefined if the key scrolls nothing. */
export function scrolled(
  scroll: number,
  keyId: string,
  lineCount: number,
  height: number,
): number | undefined {
  const page = Math.max(1, height - 3);
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    'page-up': -page,
    'page-down': page,
    ' ': page,
  };
  const step = steps[keyId];
  if (step === undefined) return undefined;
  return clampScroll(clampScroll(scroll, lineCount, height) + step, lineCount, height);
}

/**
 * What shortening took from a text, by the rule of `truncateText` in env/: `middle` keeps half of the size at either end,
 * `left` keeps the end, `right` the beginning. Sizes are in code points.
 */
export function cutAway(
  whole: string,
  options: { readonly text_size_max: number; readonly truncate_side: string },
): string {
  const { text_size_max: size, truncate_side: side } = options;
  const points = Array.from(whole);
  if (size === 0 || points.length <= size) return '';
  switch (side) {
    case 'left':
      return points.slice(0, -size).join('');
    case 'right':
      return points.slice(size).join('');
    default: {
      const half = Math.floor(size / 2);
      // Of size 1 the halves are empty, and Python's `text[-0:]` is the whole text: nothing is lost.
      return half === 0 ? '' : points.slice(half, -half).join('');
    }
  }
}

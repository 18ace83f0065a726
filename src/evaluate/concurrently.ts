/** Applies `work` to each item, at most `count` at a time; the results are in the order of the items. Ends at the first error. */
export async function concurrently<Item, Value>(
  items: readonly Item[],
  count: number,
  work: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of rest) values[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, lane));
  return values;
}

/** Numbers of a scrape by `name{label="value"}`, labels as they were written. */
export type Scrape = ReadonlyMap<string, number>;

/** Reads the text format of Prometheus. Throws on a line that is not of it. */
export function parseScrape(text: string): Scrape {
  const numbers = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const found = /^([a-z_]+(?:\{(?:[a-z0-9_]+="(?:[^"\\]|\\.)*",?)+\})?) ([-+0-9.e]+|\+Inf)$/.exec(
      line,
    );
    if (found === null) throw new Error(`not a line of a scrape: ${line}`);
    const [, key = '', value] = found;
    if (numbers.has(key)) throw new Error(`twice in a scrape: ${key}`);
    numbers.set(key, Number(value));
  }
  return numbers;
}

/** Scrapes a server once the text that it keeps for a moment is old. */
export async function scrape(url: string): Promise<Scrape> {
  await new Promise((resolve) => setTimeout(resolve, 150));
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return parseScrape(await response.text());
}

/** The numbers of one family that are not 0, by their labels. */
export function nonZero(numbers: Scrape, name: string): Record<string, number> {
  const found = [...numbers].filter(
    ([key, value]) => (key === name || key.startsWith(`${name}{`)) && value !== 0,
  );
  return Object.fromEntries(found.map(([key, value]) => [key.slice(name.length), value]));
}

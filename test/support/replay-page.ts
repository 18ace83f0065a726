import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { openLocalSource } from '../../src/cli/replay-environment.ts';
import { ReplayCatalogs } from '../../src/cli/replay-catalogs.ts';
import { writeHtml } from '../../src/replay/html.ts';
import { openLibrary } from '../../src/replay/library.ts';
import { createReplayer } from '../../src/replay/replayer.ts';

/** A page that was written from records, in a folder of its own. */
export interface WrittenPage {
  readonly file: string;
  readonly url: string;
  readonly byteCount: number;
  remove(): Promise<void>;
}

/** Writes a page as `sqlenv replay --html` does; `databases` is a folder to play the answers on again. */
export async function writePage(
  records: Iterable<Trajectory>,
  databases?: string,
): Promise<WrittenPage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sqlenv-page-'));
  const lines = path.join(folder, 'trajectories-000001.jsonl');
  const texts: string[] = [];
  for (const record of records) texts.push(`${JSON.stringify(record)}\n`);
  await writeFile(lines, texts.join(''));
  const library = await openLibrary([lines]);
  const file = path.join(folder, 'page.html');
  const replayer =
    databases === undefined
      ? undefined
      : createReplayer(await openLocalSource(new ReplayCatalogs([folder], { databases }), 1));
  try {
    const indices = library.episodes.map(({ index }) => index);
    const { signal } = new AbortController();
    const { byteCount } = await writeHtml({ library, replayer, indices, out: file, signal });
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    return { file, url: pathToFileURL(file).href, byteCount, remove };
  } finally {
    await replayer?.stop();
    await library.close();
  }
}

/** A page that is open in a browser, and everything that it should not have done. */
export interface OpenPage {
  readonly page: Page;
  /** Errors, warnings, dialogs, and requests for anything but the file itself. */
  readonly complaints: string[];
}

/** Opens a page from its file, as a double click does, at a place of it. */
export async function openPage(
  browser: Browser,
  { url }: WrittenPage,
  hash = '',
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(`${url}${hash}`);
  await page.locator('main > *').waitFor();
  return { page, complaints };
}

/** Waits until an expectation holds; a shared machine may take its time. */
export function soon<Value>(
  read: () => Value | Promise<Value>,
): ReturnType<typeof expect.poll<Value | Promise<Value>>> {
  return expect.poll(read, { timeout: 30_000 });
}

/** Waits until what the place shows has been unpacked. */
export async function settled(page: Page): Promise<void> {
  // Not by a function that the page evaluates again and again: its policy forbids that, rightly.
  await page.locator('#app .loading').first().waitFor({ state: 'hidden' });
}

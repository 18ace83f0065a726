import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A browser for the tests of pages; undefined: there is none, and they skip loudly. SQLENV_CHROMIUM names another. */
export const CHROMIUM: string | undefined = findChromium();

if (CHROMIUM === undefined) {
  process.stderr.write(
    '\n!!! SKIPPED: no Chromium (apt-get install chromium, or set SQLENV_CHROMIUM): the tests of pages do not run !!!\n\n',
  );
}

/** Starts it without a window. Nothing in it may use the network of its own accord. */
export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('there is no Chromium');
  return await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

function findChromium(): string | undefined {
  const given = process.env['SQLENV_CHROMIUM'];
  if (given !== undefined && given !== '') return existsSync(given) ? given : undefined;
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(path.delimiter)];
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(existsSync);
}

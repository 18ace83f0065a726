// Takes the pictures of the replay page in docs/images/: records rehearsed episodes on a real server, writes the page with
// the real command, and opens it in a real browser (SQLENV_CHROMIUM, or what is found as chromium).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { recordRehearsedEpisodes } from './rehearsed-episodes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = path.join(root, 'docs', 'images');
const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-screenshot-'));
const file = path.join(folder, 'page.html');

/** Each with the place of the page that it shows, and how large. */
const PICTURES = [
  { name: 'replay-page-light.png', place: '#/overview', colorScheme: 'light', height: 850 },
  {
    name: 'replay-page-dark.png',
    place: '#/groups',
    colorScheme: 'dark',
    height: 720,
    keys: ['j', 'j', 'ArrowRight', 'j', 'j'],
  },
  {
    name: 'replay-page-episode.png',
    place: `#/episode/${encodeURIComponent('step-022/rollout-4')}?filter=${encodeURIComponent('reward:0 verdict:mismatch')}`,
    colorScheme: 'light',
    height: 1_480,
  },
];

try {
  const records = path.join(folder, 'trajectories');
  await recordRehearsedEpisodes(records, 96);
  const main = path.join(root, 'dist', 'src', 'main.js');
  const written = spawnSync(process.execPath, [main, 'replay', records, '--html', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (written.status !== 0) throw new Error('the page was not written');
  mkdirSync(images, { recursive: true });
  await takePictures();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function takePictures() {
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
  try {
    for (const { name, place, colorScheme, height, keys = [] } of PICTURES) {
      const page = await browser.newPage({
        viewport: { width: 1_280, height },
        colorScheme,
        reducedMotion: 'reduce',
      });
      await page.goto(`${pathToFileURL(file).href}${place}`);
      await page.locator('main > *').waitFor();
      await page.locator('#app .loading').first().waitFor({ state: 'hidden' });
      for (const key of keys) await page.keyboard.press(key);
      await page.screenshot({ path: path.join(images, name), animations: 'disabled' });
      await page.close();
      console.log(path.join('docs', 'images', name));
    }
  } finally {
    await browser.close();
  }
}

function findBrowser() {
  const places = [
    process.env.SQLENV_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error('there is no Chromium: install it, or set SQLENV_CHROMIUM');
  return found;
}

// Takes the pictures of the terminal program in docs/images/: records episodes on a real server, drives the real program through
// a pseudo-terminal, and draws what a terminal emulator made of its output in a real browser (SQLENV_CHROMIUM, or chromium).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { chromium } from 'playwright-core';
import { startChildServer } from '../dist/src/cli/child-server.js';
import { connectClient } from '../dist/src/rpc/client.js';
import { recordRehearsedEpisodes } from './rehearsed-episodes.mjs';
import { showcaseTurn } from './showcase-turns.mjs';
import { withPalette } from './palette-png.mjs';
import { screenPage } from './terminal-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = path.join(root, 'docs', 'images');
const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-screenshot-'));
const SIZE = { cols: 112, rows: 32 };
const WAIT_MS = 60_000;

const [ENTER, DOWN, RIGHT, END] = ['\r', '\x1b[B', '\x1b[C', '\x1b[F'];

/** Each with the keys that lead there, and what must be seen before the next ones. */
const PICTURES = [
  {
    name: 'replay-list.png',
    steps: [
      ['g', 'right'],
      [`${DOWN}${DOWN}${RIGHT}`, /▾ /],
      [`${DOWN}${DOWN}${DOWN}`, /▶ {3,}\S /],
    ],
  },
  {
    name: 'replay-episode.png',
    steps: [
      [`/episode:showcase/*${ENTER}`, '20 of'],
      [ENTER, /…, "fare_cents"/],
    ],
  },
  {
    name: 'replay-diff.png',
    steps: [
      [`/episode:showcase/*${ENTER}`, '20 of'],
      [`${DOWN.repeat(4)}${ENTER}`, 'the model said'],
      [END, /▸ bag@1/],
    ],
  },
];

try {
  const records = path.join(folder, 'trajectories');
  await recordRehearsedEpisodes(records, 24);
  await recordShowcase(records);
  mkdirSync(images, { recursive: true });
  const browser = await launch();
  try {
    for (const { name, steps } of PICTURES) {
      const screen = await screenAfter(records, steps);
      await takePicture(browser, screenPage(screen, 'sqlenv replay trajectories'), name);
      console.log(path.join('docs', 'images', name));
    }
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Episodes that show everything there is to see, in the order of their file. */
async function recordShowcase(records) {
  const episodes = JSON.parse(
    readFileSync(new URL('showcase-episodes.json', import.meta.url), 'utf8'),
  );
  const server = await startChildServer(['--demo', '--record', records, '--log-level', 'error']);
  const client = connectClient(server.address);
  try {
    for (const [index, { task, turns }] of episodes.entries()) {
      const episodeId = `showcase/${String(index + 1).padStart(2, '0')}`;
      const limits = { queryCpuMsMax: 200, parallelCallCountMax: 2 };
      await client.reset({ episodeId, taskId: task, groupId: 'showcase', limits });
      for (const [stepIndex, turn] of turns.entries()) {
        const assistantText = showcaseTurn(turn);
        const completionTokenCount = Math.ceil(assistantText.length / 3.6);
        await client.step({ episodeId, stepIndex, assistantText, completionTokenCount });
      }
    }
  } finally {
    client.disconnect();
    await server.stop();
  }
}

/** Runs the program, types, and gives the emulator as it is then. */
async function screenAfter(records, steps) {
  const main = path.join(root, 'dist', 'src', 'main.js');
  const env = { ...process.env, TERM: 'xterm-256color', NO_COLOR: '' };
  const child = pty.spawn(process.execPath, [main, 'replay', records], { ...SIZE, env });
  const emulator = new xterm.Terminal({ ...SIZE, allowProposedApi: true });
  child.onData((data) => emulator.write(data));
  try {
    await waitFor(emulator, 'episodes');
    for (const [keys, seen] of steps) {
      child.write(keys);
      await waitFor(emulator, seen);
    }
    // The spinner of what is still under way.
    await waitFor(emulator, /^(?!.*esc cancels)/s);
    await sleep(300);
    return emulator;
  } finally {
    child.kill('SIGKILL');
  }
}

async function waitFor(emulator, what) {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const text = screenText(emulator);
    if (typeof what === 'string' ? text.includes(what) : what.test(text)) return;
    if (Date.now() > deadline) throw new Error(`the screen never showed ${what}:\n${text}`);
    await sleep(30);
  }
}

function screenText({ buffer: { active }, rows }) {
  const line = (row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '';
  return Array.from({ length: rows }, (_, row) => line(row)).join('\n');
}

async function takePicture(browser, html, name) {
  const page = await browser.newPage({
    viewport: { width: 1_400, height: 1_000 },
    deviceScaleFactor: 1.5,
  });
  await page.setContent(html);
  const picture = await page.locator('#window').screenshot({ omitBackground: true });
  writeFileSync(path.join(images, name), withPalette(picture));
  await page.close();
}

async function launch() {
  const places = [
    process.env.SQLENV_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const executablePath = places.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error('there is no Chromium: install it, or set SQLENV_CHROMIUM');
  return await chromium.launch({
    executablePath,
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

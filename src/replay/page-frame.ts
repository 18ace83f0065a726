import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';

/** What stands around the data of a page: the program and its looks, as texts of HTML. */
export interface PageFrame {
  /** From the doctype to the place of the first data block, the program not included. */
  readonly start: string;
  /** The program; it runs as soon as it is read, so the blocks that it needs at once stand before it. */
  readonly script: string;
  readonly end: string;
}

/** A drop of ink: the page asks for no file, so its icon is in it. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='%232f6f5e'/%3E%3Cpath d='M6.5 5v6l5-3z' fill='white'/%3E%3C/svg%3E";

/**
 * Makes the frame of a page. Its policy allows this program and these styles by their hashes, and nothing else: no
 * network, no other script, no markup made from text. Throws an `Error` if the package lacks the built page.
 */
export function pageFrame(title: string): PageFrame {
  const script = inlined(readBuilt('replay.js'), 'script');
  const style = inlined(readBuilt('replay.css'), 'style');
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(script)}'`,
    `style-src '${sourceHash(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const start = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="${ICON}">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<div id="app"><p class="loading">Opening the episodes …</p></div>
<noscript><p class="loading">This page shows its episodes with a script, and scripts are off.</p></noscript>
`;
  return { start, script: `<script>${script}</script>\n`, end: '</body>\n</html>\n' };
}

/** A block of data: base64 holds no character that HTML knows, so nothing in it can end it. */
export function dataBlock(
  attributes: Readonly<Record<string, string | number>>,
  base64: string,
): string {
  const texts = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escapeHtml(String(value))}"`,
  );
  return `<script type="text/plain"${texts.join('')}>${base64}</script>\n`;
}

function readBuilt(name: string): string {
  const file = path.join(PACKAGE_ROOT, 'dist', 'page', name);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`the package is incomplete: ${file} can't be read (npm run build)`, { cause });
  }
}

/** Text that can stand in its element as it is. The bundler escapes what it must; that it did is checked here. */
function inlined(text: string, element: 'script' | 'style'): string {
  if (text.toLowerCase().includes(`</${element}`) || text.includes('<!--')) {
    throw new Error(`the built page can't stand in a ${element} element`);
  }
  return text;
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

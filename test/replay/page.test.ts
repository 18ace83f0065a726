import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import { ALL_KINDS, answer, playRecords, turn, type EpisodePlan } from '../support/real-records.ts';
import {
  openPage,
  settled,
  soon,
  writePage,
  type OpenPage,
  type WrittenPage,
} from '../support/replay-page.ts';

const SINGERS =
  "CREATE TABLE singer (name TEXT, age INT); INSERT INTO singer VALUES ('Ann', 20), ('Bo', 40), ('Çelik', 50);";
const GROUP: readonly EpisodePlan[] = [
  { episodeId: 'group/1', actions: [answer('SELECT name FROM singer WHERE age > 30')] },
  { episodeId: 'group/2', actions: [turn('SELECT 1'), answer('SELECT name FROM singer')] },
  { episodeId: 'group/3', actions: [answer('SELECT name FROM singer')] },
].map((plan) => ({ ...plan, reset: { groupId: 'the group' } }));

describe.skipIf(CHROMIUM === undefined)('the page of `sqlenv replay --html`', () => {
  let browser: Browser;
  let records: Trajectory[];
  let folder: string;
  let written: WrittenPage;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-page-databases-'));
    new Database(path.join(folder, 'db.sqlite')).exec(SINGERS).close();
    records = await playRecords([...GROUP, ...ALL_KINDS], true);
    written = await writePage(records, folder);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await written?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens it, does something with it, and holds it to having made no noise. */
  async function visit(
    hash: string,
    work: (open: OpenPage) => Promise<void>,
    page = written,
    options: Parameters<typeof openPage>[3] = {},
  ): Promise<void> {
    const open = await openPage(browser, page, hash, options);
    try {
      await work(open);
      expect(open.complaints).toEqual([]);
    } finally {
      await open.page.context().close();
    }
  }

  test('opens from its file on the figures, without a request, an error or a warning', async () => {
    await visit('', async ({ page }) => {
      await soon(() => page.title()).toBe('Overview · sqlenv replay');
      const tile = page.locator('.tile', { hasText: 'Episodes' });
      expect(await tile.locator('dd').first().textContent()).toBe(String(records.length));
      expect(await page.locator('.bars').count()).toBeGreaterThan(2);
      await page.locator('.overview-notes', { hasText: 'compared row by row' }).waitFor();
    });
  });

  test('a bar of a chart leads to the episodes that it counts', async () => {
    await visit('#/overview?filter=group%3A%22the+group%22', async ({ page }) => {
      await page.getByRole('link', { name: 'mismatch', exact: true }).click();
      await page.locator('.rows-space .row').first().waitFor();
      const filter = await page.getByRole('searchbox').inputValue();
      expect(filter).toBe('group:"the group" verdict:mismatch');
      expect(await page.locator('.rows-space .row').count()).toBe(2);
    });
  });

  test('filters while one types, says what is wrong with a filter, and keeps the last list', async () => {
    await visit('#/list', async ({ page }) => {
      const box = page.getByRole('searchbox');
      const rows = page.locator('.rows-space .row');
      await box.fill('verdict:mismatch');
      const wrong = records.filter(({ grade }) => grade?.verdict === 'mismatch').length;
      await soon(() => rows.count()).toBe(wrong);
      await box.fill('verdict:mismatch verdikt:match');
      await page.locator('.problem', { hasText: 'at character 18' }).waitFor();
      expect(await box.getAttribute('aria-invalid')).toBe('true');
      expect(await rows.count()).toBe(wrong);
      await box.fill('episode:nobody');
      await page.getByText('No episode passes the filter.').waitFor();
      expect(await page.getByRole('status').textContent()).toContain(`0 of ${records.length}`);
    });
  });

  test('bug: an address with a filter that can not be read showed no episode', async () => {
    await visit('#/list?filter=verdict%3Amismach', async ({ page }) => {
      await page.locator('.problem', { hasText: 'did you mean mismatch?' }).waitFor();
      await page.locator('.rows-space .row').first().waitFor();
      expect(await page.getByText('No episode passes the filter.').isVisible()).toBe(false);
    });
  });

  test('bug: a saved fork counted among the rollouts of its group', async () => {
    const [first] = records;
    const parent = { episode_id: 'group/1', step_index: 0 };
    const fork = { ...(first as Trajectory), episode_id: 'a fork', parent };
    const forked = await writePage([fork, ...records.slice(0, 3)]);
    try {
      await visit(
        '#/groups',
        async ({ page }) => {
          await page.locator('.rows-space .row', { hasText: '/3' }).waitFor();
          await page.getByRole('searchbox').fill('fork:yes');
          await page.getByText('Forks are in no group').waitFor();
          await page.keyboard.press('Escape');
          await page.keyboard.press('l');
          await page.locator('.row .mark', { hasText: 'fork' }).waitFor();
          expect(await page.locator('.rows-space .row').count()).toBe(1);
        },
        forked,
      );
    } finally {
      await forked.remove();
    }
  });

  test('`text:` looks through the records, also for what is in no summary', async () => {
    await visit('#/list?filter=text%3A%22select%202%20where%22', async ({ page }) => {
      await soon(() =>
        page.locator('.rows-space .row a').evaluateAll((links) => links.length),
      ).toBe(1);
      expect(await page.locator('.rows-space a').getAttribute('href')).toContain('both-empty');
      await page.getByRole('searchbox').fill('text:漢字');
      await soon(() => page.locator('.rows-space a').first().getAttribute('href')).toContain(
        'odd-texts',
      );
    });
  });

  test('sorts by a column both ways, says so, and keeps it in the address', async () => {
    await visit('#/list', async ({ page }) => {
      const cells = page.locator('.rows-space .column-tool_calls');
      const head = page.getByRole('columnheader', { name: 'Calls' });
      await head.getByRole('button').click();
      expect(await head.getAttribute('aria-sort')).toBe('descending');
      const down = (await cells.allTextContents()).map(Number);
      expect(down).toEqual(down.toSorted((a, b) => b - a));
      await head.getByRole('button').click();
      const up = (await cells.allTextContents()).map(Number);
      expect(up).toEqual(up.toSorted((a, b) => a - b));
      expect(page.url()).toContain('sort=tool_calls');
      await page.reload();
      await soon(() => head.getAttribute('aria-sort')).toBe('ascending');
    });
  });

  test('shows an episode: what was said, called, read and answered, and the rows that differ', async () => {
    await visit('#/list?filter=episode%3A%22group%2F2%22', async ({ page }) => {
      await page.locator('.rows-space a').click();
      await page.locator('.answer').waitFor();
      expect(page.url()).toContain('#/episode/group%2F2');
      const first = page.locator('.turn').first();
      expect(await first.locator('.call .sql').textContent()).toBe('SELECT 1');
      expect(await first.locator('.read pre').textContent()).toContain('"rows": [[1]]');
      const diff = page.locator('.diff tbody tr');
      expect(await diff.allInnerTexts()).toEqual([
        expect.stringContaining('"Bo"'),
        expect.stringContaining('lik"'),
        expect.stringContaining('"Ann"'),
      ]);
      expect(await page.locator('.counts').textContent()).toContain('1 extra in the answer');
      expect(await page.locator('.modes .decided').textContent()).toContain('bag@1');
      await page.getByLabel('Show the differences only').check();
      expect(await page.locator('.diff tbody tr:visible').count()).toBe(1);
      await page.goBack();
      await page.locator('.rows').waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('episode:"group/2"');
      await page.goForward();
      await page.locator('.answer').waitFor();
    });
  });

  test('shows what was cut away beside what the model saw', async () => {
    await visit('#/episode/shortened', async ({ page }) => {
      const cut = page.locator('.cut');
      await cut.waitFor();
      const seen = (await page.locator('.read pre').first().textContent()) ?? '';
      const away = (await cut.locator('.cut-text').textContent()) ?? '';
      expect(seen).toMatch(/^\{"columns".{8}.*\(truncated\)$/);
      const whole = seen.replace('...(truncated)', '') + away;
      expect(JSON.parse(whole)).toMatchObject({ rows: expect.arrayContaining([]) as unknown });
      expect(await cut.locator('meter').getAttribute('value')).toBe('20');
    });
  });

  test('without databases it says why there are no rows, and how much was cut', async () => {
    const bare = await writePage(records);
    try {
      await visit(
        '#/episode/group%2F2',
        async ({ page }) => {
          await page.getByText('written without the databases').waitFor();
          expect(await page.locator('.sides').textContent()).toContain('age > 30');
          await page.goto(`${bare.url}#/episode/shortened`);
          await page.getByText('holds only what the model saw').waitFor();
        },
        bare,
      );
    } finally {
      await bare.remove();
    }
  });

  test('groups: folded, unfolded, and side by side', async () => {
    await visit('#/groups', async ({ page }) => {
      const row = page.locator('.group-row', { hasText: '1/3' });
      expect(await row.getByRole('img').getAttribute('aria-label')).toBe('1 of 3 right');
      await row.getByRole('button', { name: 'Unfold' }).click();
      expect(await page.locator('.row.rollout').count()).toBe(3);
      await page.locator('.group-row a').filter({ hasText: 'Who is' }).first().click();
      await page.locator('.rollout-column').nth(2).waitFor();
      expect(await page.getByRole('heading', { name: '2 different answers' }).count()).toBe(1);
      expect(await page.locator('.answers tr').first().textContent()).toContain('2 ×');
    });
  });

  test('can be used with the keyboard alone', async () => {
    await visit('#/list', async ({ page }) => {
      const press = async (...keys: readonly string[]): Promise<void> => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await press('/');
      await page.keyboard.type('group:"the group"');
      await press('Enter', 'j', 'j', 'k');
      await soon(() => page.locator('[aria-selected=true] a').getAttribute('href')).toContain(
        'group%2F2',
      );
      await press('Enter');
      await page.locator('.answer').waitFor();
      await press('j', 'j');
      await page.locator('.turn.current-stop', { hasText: 'Step 1' }).waitFor();
      await press('k');
      await page.locator('.turn.current-stop', { hasText: 'Step 0' }).waitFor();
      // Bug: the list of turns did not say which one is shown.
      expect(await page.locator('.outline [aria-current=step]').allTextContents()).toEqual([
        expect.stringContaining('Step 0'),
      ]);
      await press(']');
      await soon(() => page.url()).toContain('group%2F3');
      await press('[');
      await soon(() => page.url()).toContain('group%2F2');
      await press('g');
      await soon(() => page.url()).toContain('#/group/');
      await page.locator('.rollout-column').first().waitFor();
      await press('Escape');
      await soon(() => page.url()).toContain('#/groups');
      await press('ArrowRight');
      await page.locator('.row.rollout').first().waitFor();
      await press('?');
      await page.locator('dialog[open]').waitFor();
      await press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
      await press('o');
      await soon(() => page.url()).toContain('#/overview');
      await press('l', 'End');
      const last = page.locator('.rows-space .row').last();
      expect(await last.getAttribute('aria-selected')).toBe('true');
    });
  });

  test('is dark where the system is, and where one wants it', async () => {
    const ground = 'getComputedStyle(document.documentElement).backgroundColor';
    await visit('', async ({ page }) => {
      const light = await page.evaluate(ground);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await page.evaluate(ground);
      expect(dark).not.toBe(light);
      await page.emulateMedia({ colorScheme: 'light' });
      const button = page.getByRole('button', { name: 'Theme: auto' });
      await button.click();
      await page.keyboard.press('t');
      expect(await page.evaluate(ground)).toBe(dark);
      await page.reload();
      await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
      expect(await page.evaluate(ground)).toBe(dark);
    });
  });

  test('every text has a contrast of 4.5 and more, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const hash of ['', '#/list', '#/groups', '#/episode/group%2F2', '#/episode/hostile']) {
        await visit(
          hash,
          async ({ page }) => {
            await settled(page);
            expect(await page.evaluate(LOW_CONTRAST), `${colorScheme} ${hash}`).toEqual([]);
          },
          written,
          { colorScheme },
        );
      }
    }
  });

  test('has names, roles and one order of headings for those who hear it', async () => {
    for (const hash of ['', '#/list', '#/groups', '#/episode/group%2F2']) {
      await visit(hash, async ({ page }) => {
        await settled(page);
        expect(await page.evaluate(NAMELESS), hash).toEqual([]);
        expect(await page.getByRole('main').count()).toBe(1);
        expect(await page.getByRole('search').count()).toBe(1);
        expect(await page.getByRole('navigation', { name: 'Views' }).count()).toBe(1);
        expect(await page.locator('html').getAttribute('lang')).toBe('en');
        expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      });
    }
    await visit('#/list', async ({ page }) => {
      const grid = page.getByRole('grid', { name: 'Episodes' });
      expect(await grid.getAttribute('aria-rowcount')).toBe(String(records.length + 1));
      const active = await grid.getAttribute('aria-activedescendant');
      expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
    });
  });

  test('fits a phone: nothing is wider than the window', async () => {
    for (const hash of ['', '#/list', '#/groups', '#/episode/group%2F2', '#/episode/hostile']) {
      await visit(
        hash,
        async ({ page }) => {
          await settled(page);
          expect(await page.evaluate('document.documentElement.scrollWidth'), hash).toBe(360);
        },
        written,
        { viewport: { width: 360, height: 640 } },
      );
    }
  });

  test('a window that changes its width, and paper, show each row once', async () => {
    await visit('#/list', async ({ page }) => {
      const rows = page.locator('.rows-space .row');
      const ids = (): Promise<string[]> =>
        rows.evaluateAll((all) => all.map((row) => (row as { id: string }).id));
      await page.setViewportSize({ width: 360, height: 700 });
      await soon(async () => (await rows.first().boundingBox())?.height).toBe(82);
      expect(new Set(await ids()).size).toBe((await ids()).length);
      await page.setViewportSize({ width: 1_280, height: 300 });
      await soon(() => rows.count()).toBeLessThan(records.length);
      await page.emulateMedia({ media: 'print' });
      await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
      expect((await ids()).toSorted()).toEqual(
        records.map((_, place) => `row-${place}`).toSorted(),
      );
    });
  });

  test('an empty library is a page that says so', async () => {
    const empty = await writePage([]);
    try {
      for (const hash of ['', '#/list', '#/groups', '#/episode/none', '#/group/none']) {
        await visit(hash, ({ page }) => page.locator('.empty:visible').waitFor(), empty);
      }
    } finally {
      await empty.remove();
    }
  });
});

/** Elements with a text of their own whose colour is too close to what is behind it. */
const LOW_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] > 200) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.closest('script, style, noscript, .unseen, [hidden]') || !element.checkVisibility()) return [];
    const [a, b] = [luminance(rgba(getComputedStyle(element).color).slice(0, 3)), luminance(ground(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast >= 4.5 ? [] : [element.className + ' ' + element.textContent.slice(0, 30) + ' ' + contrast.toFixed(2)];
  });
})()`;

/** Controls without a name, images without words, tables without heads, ids that are there twice, headings that skip a level. */
const NAMELESS = `(() => {
  const found = [];
  const name = (element) =>
    element.getAttribute('aria-label') || element.textContent.trim() ||
    (element.labels && element.labels.length > 0 ? 'label' : '');
  for (const element of document.querySelectorAll('a[href], button, input, summary, meter, progress, [role=img], [role=region], [role=grid]')) {
    if (!element.closest('.unseen') && name(element) === '') found.push('no name: ' + element.outerHTML.slice(0, 80));
  }
  for (const table of document.querySelectorAll('table')) {
    if (table.querySelector('th') === null) found.push('no heads: ' + table.outerHTML.slice(0, 80));
  }
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.getAttribute('aria-hidden') !== 'true' && svg.querySelector('title') === null) found.push('svg without a title');
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push('twice: ' + id);
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-activedescendant']) {
    for (const element of document.querySelectorAll('[' + attribute + ']')) {
      const id = element.getAttribute(attribute);
      if (id !== '' && document.getElementById(id) === null) found.push(attribute + ' of nothing: ' + id);
    }
  }
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    if (heading.closest('dialog') !== null) continue;
    const next = Number(heading.tagName[1]);
    if (next > level + 1) found.push('skips to h' + next + ': ' + heading.textContent.slice(0, 30));
    level = next;
  }
  return found;
})()`;

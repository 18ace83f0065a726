import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import { ALL_KINDS, playRecords } from '../support/real-records.ts';
import { openPage, settled, soon, writePage, type WrittenPage } from '../support/replay-page.ts';

const ATTACK =
  '</script><script>window.hit=1</script><!-- <img src=x onerror="window.hit=2"> "><svg onload=window.hit=3> \' ` ${window.hit=4} javascript:window.hit=5';
const ODD =
  'zero \0 line\u2028para\u2029 half \ud83d turned \u202eabc\u202c bom \ufeff nbsp \u00a0 bell \u0007 end';

/** The record of an episode with an attack in every text that a model, a trainer or a task's author can write. */
function hostile(record: Trajectory): Trajectory {
  const [step] = record.steps;
  if (step === undefined || record.grade === null) throw new Error('the record is of no use here');
  const text = `${ATTACK}\n${ODD}\n\`\`\`sql\nSELECT '${ATTACK}'\n\`\`\``;
  const call = { name: ATTACK, arguments: { query: `SELECT "${ATTACK}" -- ${ODD}` } };
  return {
    ...record,
    episode_id: `${ATTACK} ${ODD}`,
    task_id: ATTACK,
    database_id: ATTACK,
    question: `${ATTACK} ${ODD}`,
    difficulty: ATTACK,
    group_id: ATTACK,
    labels: { [ATTACK]: ATTACK },
    messages: record.messages.map((message) => ({ ...message, content: text })),
    gold_sql: `SELECT '${ATTACK}' -- ${ODD}`,
    steps: [
      {
        ...step,
        action: {
          kind: 'assistant_text',
          text: `${text}<tool_call>${JSON.stringify(call)}</tool_call>`,
        },
        messages: [{ role: 'tool', content: `${ATTACK} ...(truncated)... ${ODD}` }],
        queries: step.queries.slice(0, 1).map((query) => ({ ...query, sql: ATTACK })),
      },
    ],
    grade: { ...record.grade, answer_sql: `${ATTACK} ${ODD}`, error_text: ATTACK, flags: [ATTACK] },
  };
}

describe.skipIf(CHROMIUM === undefined)('a page over hostile records, and over many', () => {
  let browser: Browser;
  let records: Trajectory[];
  const pages: WrittenPage[] = [];

  beforeAll(async () => {
    records = await playRecords(ALL_KINDS, true);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    for (const page of pages) await page.remove();
  });

  const write = async (list: Iterable<Trajectory>): Promise<WrittenPage> => {
    const page = await writePage(list);
    pages.push(page);
    return page;
  };

  test('no text of a record becomes markup, script or address, in any view', async () => {
    const mismatch = records.find(({ episode_id: id }) => id === 'mismatch');
    const attack = hostile(mismatch ?? records[0]!);
    const written = await write([attack, { ...attack, episode_id: 'second' }]);
    const { page, complaints } = await openPage(browser, written);
    for (const hash of ['', '#/list', '#/groups', '#/episode/second', '#/list?filter=%3Csvg']) {
      await page.goto(`${written.url}${hash}`);
      await settled(page);
    }
    // By its own link: the id is an attack, too.
    await page.goto(`${written.url}#/list`);
    await page.locator('.rows-space a').first().click();
    await page.locator('.answer').waitFor();
    for (const summary of await page.locator('main summary').all()) await summary.click();
    await page.locator('a', { hasText: 'Group of 2' }).click();
    await page.locator('.rollout-column').nth(1).waitFor();
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(await page.locator('main img, main script, main svg[onload]').count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await page.title()).toContain('</script><script>');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('hidden characters are spelt out, and everything else is there to the character', async () => {
    const attack = hostile(records.find(({ grade }) => grade !== null) ?? records[0]!);
    const written = await write([{ ...attack, episode_id: 'odd' }]);
    const { page, complaints } = await openPage(browser, written, '#/episode/odd');
    const read = page.locator('.read pre').first();
    await read.waitFor();
    const shown = await read.textContent();
    expect(shown).toContain(ATTACK);
    expect(shown).toContain('zero U+0000 lineU+2028paraU+2029 half U+D83D turned U+202EabcU+202C');
    expect(shown).toContain('bom U+FEFF nbsp U+00A0 bell U+0007 end');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('its policy lets no script in that is not its own, and nothing out', async () => {
    const written = await write(records.slice(0, 1));
    const { page, complaints } = await openPage(browser, written);
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.textContent = 'window.hit = 1'; } catch {}
      document.body.append(script);
      const image = document.createElement('img');
      image.src = 'http://127.0.0.1:9/leak.png';
      document.body.append(image);
      fetch('http://127.0.0.1:9/leak').catch(() => undefined);
    })()`);
    await soon(() => complaints.filter((text) => text.includes('violates')).length).toBeGreaterThan(
      1,
    );
    expect(await page.evaluate('window.hit')).toBeUndefined();
    await page.context().close();
  });

  test('10,000 episodes: only the rows in sight are in the document, whatever one does', async () => {
    const many = function* (): Iterable<Trajectory> {
      for (let index = 0; index < 10_000; index += 1) {
        const record = records[index % records.length]!;
        const group = Math.floor(index / 8);
        yield {
          ...record,
          episode_id: `many/${index}`,
          task_id: `task/${group}`,
          database_id: `db_${index % 40}`,
          group_id: `group ${group}`,
          question: index === 7_777 ? 'Where is the needle?' : `Question ${group}?`,
        };
      }
    };
    const written = await write(many());
    const { page, complaints } = await openPage(browser, written, '#/list');
    const rows = page.locator('.rows-space .row');
    await soon(() => page.getByRole('status').textContent()).toBe('10,000 episodes');
    const nodes = (): Promise<number> =>
      page.evaluate('document.querySelectorAll("#app *").length') as Promise<number>;
    const bound = 2_000;
    expect(await nodes()).toBeLessThan(bound);
    await page.keyboard.press('End');
    await page.locator('[aria-rowindex="10001"][aria-selected=true]').waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.keyboard.press('/');
    await page.keyboard.type('reward:0 steps>=1', { delay: 5 });
    await soon(() => page.getByRole('status').textContent()).toContain('of 10,000');
    expect(await nodes()).toBeLessThan(bound);
    await page.getByRole('searchbox').fill('text:"the needle"');
    await soon(() => rows.count()).toBe(1);
    expect(await rows.locator('a').getAttribute('href')).toContain('many%2F7777');
    await rows.locator('a').click();
    await page.getByRole('heading', { name: 'Where is the needle?' }).waitFor();
    await page.locator('.answer').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: 'Groups' }).click();
    await soon(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(1_250 + 1));
    expect(await nodes()).toBeLessThan(bound);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

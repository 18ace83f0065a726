import type Database from 'better-sqlite3';
import { dateText, dayNumber, weekday } from '../calendar.ts';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

const FIRST_DAY = dayNumber('2024-02-05');
const LAST_DAY = dayNumber('2024-03-31');

/** How busy each shop is in percent, by `shop_id`. */
const SHOP_TRADE = [140, 115, 100, 85, 70, 55];

const CAMPUS_SHOP = 5;
const SATURDAY = 5;

/** Pieces baked on a usual day in a shop of 100 percent, by kind of product. */
const PIECES_BY_KIND: Readonly<Record<string, number>> = {
  bread: 28,
  pastry: 46,
  cake: 20,
  bun: 52,
  biscuit: 64,
};

/** Fills `daily_sales` for eight weeks, leaving out retired products and days on which a shop is closed. */
export function generateBakeryChain(database: Database.Database, random: SeededRandom): void {
  const products = database
    .prepare('SELECT product_id, kind, introduced_on, retired_on FROM products')
    .raw()
    .all() as [number, string, string, string | null][];
  const rows: StoredValue[][] = [];
  for (const [shopIndex, trade] of SHOP_TRADE.entries()) {
    const shopId = shopIndex + 1;
    for (const [productId, kind, introducedOn, retiredOn] of products) {
      // Small shops don't carry every product.
      if ((productId * 7 + shopId * 5) % 11 === 0) continue;
      for (let day = FIRST_DAY; day <= LAST_DAY; day += 1) {
        const date = dateText(day);
        if (date < introducedOn || (retiredOn !== null && date > retiredOn)) continue;
        if (shopId === CAMPUS_SHOP && weekday(day) >= SATURDAY) continue;
        const usual = Math.floor(((PIECES_BY_KIND[kind] ?? 30) * trade) / 100);
        const weekend = weekday(day) >= SATURDAY ? Math.floor(usual / 4) : 0;
        const baked = usual + weekend + random.between(-6, 6);
        const leftOver = random.chance(38) ? 0 : random.between(1, Math.floor(baked / 3));
        rows.push([shopId, productId, date, baked, baked - leftOver]);
      }
    }
  }
  insertRows(database, 'daily_sales', rows);
}

import type Database from 'better-sqlite3';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

interface Category {
  readonly name: string;
  readonly things: readonly string[];
  readonly trades: readonly string[];
  readonly gramsMax: number;
  readonly fixedPercent: number;
}

const CATEGORIES: readonly Category[] = [
  {
    name: 'kitchen appliance',
    things: ['toaster', 'kettle', 'stand mixer', 'coffee grinder', 'waffle iron', 'juicer'],
    trades: ['electrics', 'electronics'],
    gramsMax: 6200,
    fixedPercent: 58,
  },
  {
    name: 'audio',
    things: ['radio', 'record player', 'headphones', 'cassette deck', 'loudspeaker'],
    trades: ['electronics'],
    gramsMax: 7800,
    fixedPercent: 52,
  },
  {
    name: 'clothing',
    things: ['winter coat', 'rucksack', 'jeans', 'tent bag', 'curtain', 'wool cardigan'],
    trades: ['sewing'],
    gramsMax: 1900,
    fixedPercent: 88,
  },
  {
    name: 'bicycle',
    things: ['city bike', 'child’s bike', 'tandem', 'bike trailer', 'scooter'],
    trades: ['bicycles'],
    gramsMax: 19_000,
    fixedPercent: 80,
  },
  {
    name: 'furniture',
    things: ['rocking chair', 'stool', 'folding table', 'toy chest', 'picture frame'],
    trades: ['woodwork'],
    gramsMax: 11_500,
    fixedPercent: 74,
  },
  {
    name: 'clock',
    things: ['mantel clock', 'cuckoo clock', 'wristwatch', 'alarm clock'],
    trades: ['clocks'],
    gramsMax: 4100,
    fixedPercent: 63,
  },
  {
    name: 'ceramic',
    things: ['teapot', 'vase', 'garden gnome', 'soup bowl'],
    trades: ['ceramics'],
    gramsMax: 3300,
    fixedPercent: 69,
  },
  {
    name: 'lamp',
    things: ['desk lamp', 'floor lamp', 'fairy lights', 'bicycle lamp'],
    trades: ['electrics'],
    gramsMax: 5400,
    fixedPercent: 83,
  },
];

const BRANDS = ['Halvorsen', 'Tekla', 'Brightwell', 'Ångby', 'Corvex', 'Oduya', 'Minato', 'Ferro'];

const COLOURS = ['red', 'blue', 'grey', 'green', 'black', 'white', 'yellow', 'brown'];

const ITEM_COUNT = 190;

/** Fills `items` and `repairs`: every item is looked at once, some come back to a later event. */
export function generateRepairCafe(database: Database.Database, random: SeededRandom): void {
  const events = database.prepare('SELECT event_id, held_on FROM events').raw().all() as [
    number,
    string,
  ][];
  const volunteers = database
    .prepare('SELECT volunteer_id, trade, joined_on FROM volunteers')
    .raw()
    .all() as [number, string, string][];

  const items: StoredValue[][] = [];
  const repairs: StoredValue[][] = [];

  const addRepair = (itemId: number, category: Category, firstEvent: number): number => {
    const eventId = random.between(firstEvent, events.length);
    const heldOn = events[eventId - 1]?.[1] ?? '';
    const present = volunteers.filter((volunteer) => volunteer[2] <= heldOn);
    const skilled = present.filter((volunteer) => category.trades.includes(volunteer[1]));
    const volunteerId = random.pick(skilled.length > 0 ? skilled : present)[0];
    const roll = random.between(0, 99);
    const outcome =
      roll < category.fixedPercent
        ? 'fixed'
        : roll < category.fixedPercent + 12
          ? 'advice'
          : 'not fixed';
    const partsCents =
      outcome === 'fixed' && random.chance(55) ? random.between(8, 260) * 10 : null;
    repairs.push([
      repairs.length + 1,
      itemId,
      eventId,
      volunteerId,
      outcome,
      random.between(6, 95),
      partsCents,
    ]);
    return eventId;
  };

  for (let itemId = 1; itemId <= ITEM_COUNT; itemId += 1) {
    const category = random.pick(CATEGORIES);
    items.push([
      itemId,
      category.name,
      `${random.pick(COLOURS)} ${random.pick(category.things)}`,
      random.chance(62) ? random.pick(BRANDS) : null,
      random.chance(78) ? random.between(1, 45) : null,
      random.between(12, Math.floor(category.gramsMax / 10)) * 10,
    ]);
    const eventId = addRepair(itemId, category, 1);
    if (eventId < events.length && random.chance(22)) addRepair(itemId, category, eventId + 1);
  }
  insertRows(database, 'items', items);
  insertRows(database, 'repairs', repairs);
}

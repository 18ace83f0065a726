import type Database from 'better-sqlite3';
import { dateText, dateTimeText, dayNumber } from '../calendar.ts';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

const CUSTOMER_COUNT = 220;
const PARCEL_COUNT = 1900;
const COMPLAINT_COUNT = 85;
const FIRST_DAY = dayNumber('2024-01-02');
const LAST_DAY = dayNumber('2024-09-30');

/** Tracking numbers start here: 19 digits, far above 2^53. */
const TRACKING_BASE = 7_340_000_000_000_000_000n;

const GIVEN_NAMES = [
  'Aaltje',
  'Bilal',
  'Céline',
  'Dirk',
  'Esmée',
  'Floris',
  'Güler',
  'Hilde',
  'Ömer',
  'Jasmijn',
  'Koen',
  'Loïs',
  'Maarten',
  'Noëlle',
  'Pieter',
  'Renée',
  'Sjoerd',
  'Yara',
];

const FAMILY_NAMES = [
  'van den Akker',
  'Bakkum',
  'Coppens',
  'Dijkgraaf',
  'Elzinga',
  'Fokkema',
  'Hoekstra',
  'Ibrahimović',
  'Jonckheere',
  'Kòrsou',
  'Lievens',
  'Özdemir',
  'Peeters',
  'Roelofs',
  'Terpstra',
  'Zwart',
];

interface SizeClass {
  readonly name: string;
  readonly gramsMin: number;
  readonly gramsMax: number;
}

/** Small parcels are the most common, so they are listed more than once. */
const SIZE_CLASSES: readonly SizeClass[] = [
  { name: 'S', gramsMin: 80, gramsMax: 1200 },
  { name: 'S', gramsMin: 80, gramsMax: 1200 },
  { name: 'S', gramsMin: 80, gramsMax: 1200 },
  { name: 'M', gramsMin: 500, gramsMax: 4800 },
  { name: 'M', gramsMin: 500, gramsMax: 4800 },
  { name: 'L', gramsMin: 1500, gramsMax: 11_000 },
  { name: 'XL', gramsMin: 4000, gramsMax: 24_000 },
];

/** Fills `customers`, `parcels` and `complaints`. */
export function generateParcelLockers(database: Database.Database, random: SeededRandom): void {
  insertRows(database, 'customers', generateCustomers(database, random));
  const parcels = generateParcels(database, random);
  insertRows(database, 'parcels', parcels);
  insertRows(database, 'complaints', generateComplaints(random, parcels));
}

function generateCustomers(database: Database.Database, random: SeededRandom): StoredValue[][] {
  const cities = database.prepare('SELECT city FROM depots').pluck().all() as string[];
  const rows: StoredValue[][] = [];
  const names = new Set<string>();
  while (rows.length < CUSTOMER_COUNT) {
    const name = `${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)}`;
    if (names.has(name)) continue;
    names.add(name);
    const phone = random.chance(68) ? `06-5550${String(random.between(1000, 9999))}` : null;
    rows.push([rows.length + 1, name, random.pick(cities), phone]);
  }
  return rows;
}

function generateParcels(database: Database.Database, random: SeededRandom): StoredValue[][] {
  const lockers = database
    .prepare('SELECT locker_id, depot_id, installed_on FROM lockers')
    .raw()
    .all() as [number, number, string][];
  const couriers = database
    .prepare('SELECT courier_id, depot_id, hired_on, left_on FROM couriers')
    .raw()
    .all() as [number, number, string, string | null][];

  const rows: StoredValue[][] = [];
  for (let index = 0; index < PARCEL_COUNT; index += 1) {
    const day = FIRST_DAY + Math.floor((index * (LAST_DAY - FIRST_DAY)) / PARCEL_COUNT);
    const date = dateText(day);
    const [lockerId, depotId] = random.pick(lockers.filter((locker) => locker[2] <= date));
    const working = couriers.filter(
      (courier) =>
        courier[1] === depotId && courier[2] <= date && (courier[3] === null || courier[3] >= date),
    );
    const size = random.pick(SIZE_CLASSES);
    const droppedMinute = random.between(6 * 60, 20 * 60);
    const isCollected = random.chance(94);
    const waitedMinutes = random.between(20, 5 * 1440);
    rows.push([
      TRACKING_BASE + BigInt(index) * 1_000_000_007n + BigInt(random.between(0, 999_999_999)),
      random.between(1, CUSTOMER_COUNT - 6),
      lockerId,
      random.pick(working)[0],
      size.name,
      random.between(size.gramsMin, size.gramsMax),
      dateTimeText(day, droppedMinute),
      isCollected ? dateTimeText(day, droppedMinute + waitedMinutes) : null,
      random.bytes(random.pick([8, 8, 12])),
    ]);
  }
  return rows;
}

function generateComplaints(
  random: SeededRandom,
  parcels: readonly (readonly StoredValue[])[],
): StoredValue[][] {
  const rows: StoredValue[][] = [];
  for (let complaintId = 1; complaintId <= COMPLAINT_COUNT; complaintId += 1) {
    const parcel = random.pick(parcels);
    const droppedOn = String(parcel[6]).slice(0, 10);
    rows.push([
      complaintId,
      parcel[0] ?? null,
      random.pick(['damaged', 'wrong locker', 'door jammed', 'late', 'missing']),
      dateText(dayNumber(droppedOn) + random.between(1, 12)),
      random.chance(45) ? random.between(3, 50) * 50 : null,
    ]);
  }
  return rows;
}

import type Database from 'better-sqlite3';
import { dateText, dayNumber } from '../calendar.ts';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

const EPISODE_COUNT = 380;
const TAPE_COUNT = 430;
const VISIT_COUNT = 95;
const ARCHIVE_CLOSED_ON = '2010-12-31';

/** Barcodes start here: far above 2^53. */
const BARCODE_BASE = 5_010_400_000_000_000_000n;

/** Who presents each programme, by `programme_id`. */
const PRESENTERS: readonly (readonly number[])[] = [
  [1, 12],
  [2, 7, 4],
  [8, 3],
  [3, 7],
  [11, 4, 1],
  [5, 14],
  [12, 9],
  [3, 2],
  [7, 10, 2],
  [6, 13],
  [9],
  [11, 10],
];

const MINUTES: readonly (readonly number[])[] = [
  [30],
  [25, 40],
  [55, 60, 90],
  [30],
  [45, 50],
  [40],
  [30, 60],
  [20],
  [15, 25],
  [50, 60],
  [45],
  [30, 35],
];

const SYNOPSES = [
  'A letter arrives forty years late.',
  'Live from the fish market at dawn.',
  'The choir of the lamp factory sings.',
  'Listeners’ recipes for a hard winter.',
  'How the valley railway was saved.',
  'Opowieść o starej latarni.',
  'Amhráin ón gcladach thiar.',
  'A quiz on bridges, birds and bread.',
];

interface Programme {
  readonly programmeId: number;
  readonly firstDay: number;
  readonly lastDay: number;
}

/** Fills `episodes`, `tapes` and `research_visits`. */
export function generateRadioArchive(database: Database.Database, random: SeededRandom): void {
  const programmes = database
    .prepare('SELECT programme_id, first_aired_on, last_aired_on FROM programmes')
    .raw()
    .all()
    .map((row): Programme => {
      const [programmeId, firstAiredOn, lastAiredOn] = row as [number, string, string | null];
      const lastDay = dayNumber(lastAiredOn ?? ARCHIVE_CLOSED_ON);
      return { programmeId, firstDay: dayNumber(firstAiredOn), lastDay };
    });

  const airedDays: number[] = [];
  const episodes: StoredValue[][] = [];
  for (let episodeId = 1; episodeId <= EPISODE_COUNT; episodeId += 1) {
    const { programmeId, firstDay, lastDay } = random.pick(programmes);
    const airedDay = random.between(firstDay, lastDay);
    airedDays.push(airedDay);
    episodes.push([
      episodeId,
      programmeId,
      random.pick(PRESENTERS[programmeId - 1] ?? []),
      dateText(airedDay),
      random.pick(MINUTES[programmeId - 1] ?? []),
      random.chance(40) ? random.pick(SYNOPSES) : null,
    ]);
  }
  insertRows(database, 'episodes', episodes);

  const tapes = generateTapes(random, airedDays);
  insertRows(database, 'tapes', tapes);
  insertRows(database, 'research_visits', generateVisits(random, tapes));
}

function generateTapes(random: SeededRandom, airedDays: readonly number[]): StoredValue[][] {
  const rows: StoredValue[][] = [];
  for (let index = 0; index < TAPE_COUNT; index += 1) {
    const episodeId = random.chance(93) ? random.between(1, EPISODE_COUNT) : null;
    const airedOn = dateText(episodeId === null ? 0 : (airedDays[episodeId - 1] ?? 0));
    const formats =
      airedOn < '1958-01-01'
        ? ['acetate disc', 'quarter-inch reel']
        : airedOn < '1985-01-01'
          ? ['quarter-inch reel']
          : ['cassette', 'DAT', 'quarter-inch reel'];
    const isDigitised = random.chance(57);
    rows.push([
      BARCODE_BASE + BigInt(index) * 7_919_000_003n + BigInt(random.between(0, 999_999_999)),
      episodeId,
      random.pick(formats),
      `${random.pick(['N', 'E', 'S', 'W'])}-${String(random.between(1, 24)).padStart(2, '0')}`,
      random.between(1, 5),
      isDigitised
        ? dateText(random.between(dayNumber('2011-01-10'), dayNumber('2023-12-15')))
        : null,
      isDigitised ? random.bytes(random.pick([16, 32])) : null,
    ]);
  }
  return rows;
}

function generateVisits(
  random: SeededRandom,
  tapes: readonly (readonly StoredValue[])[],
): StoredValue[][] {
  const visitors = ['I. Brandt', 'Keele & Daughters', 'Dr Ayodele', 'R. Mac Giolla', 'W. Północny'];
  const rows: StoredValue[][] = [];
  for (let visitId = 1; visitId <= VISIT_COUNT; visitId += 1) {
    rows.push([
      visitId,
      random.pick(tapes)[0] ?? null,
      random.pick(visitors),
      dateText(random.between(dayNumber('2012-03-01'), dayNumber('2024-08-30'))),
      random.chance(70)
        ? random.pick(['thesis', 'film score', 'family history', 'rebroadcast'])
        : null,
    ]);
  }
  return rows;
}

import type Database from 'better-sqlite3';
import { dateText, dayNumber } from '../calendar.ts';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

const TRAVELLER_COUNT = 170;
const BOOKING_COUNT = 2600;
const LAST_DAY = dayNumber('2024-12-31');

/** Loyalty numbers start here: far above 2^53, so reading one as a double gives another number. */
const LOYALTY_BASE = 9_100_000_000_000_000_000n;

interface Country {
  readonly name: string;
  readonly given: readonly string[];
  readonly family: readonly string[];
}

const COUNTRIES: readonly Country[] = [
  {
    name: 'Germany',
    given: ['Jörg', 'Annika', 'Lukas', 'Käthe', 'Birgit', 'Falk'],
    family: ['Weißenberg', 'Krüger', 'Lohmann', 'Oster', 'Brühl', 'Danz'],
  },
  {
    name: 'Czechia',
    given: ['Jiřina', 'Ondřej', 'Šárka', 'Matěj', 'Běla', 'Radim'],
    family: ['Kučera', 'Šimek', 'Dvořáček', 'Vlk', 'Říha', 'Malina'],
  },
  {
    name: 'Poland',
    given: ['Paweł', 'Małgorzata', 'Zbigniew', 'Ola', 'Grażyna', 'Jacek'],
    family: ['Wiśniak', 'Dąbek', 'Sowa', 'Łoza', 'Krawczak', 'Żuk'],
  },
  {
    name: 'Sweden',
    given: ['Åsa', 'Björn', 'Linnéa', 'Göran', 'Tuva', 'Sixten'],
    family: ['Öberg', 'Sjöstrand', 'Hallén', 'Dahl', 'Ek', 'Ringström'],
  },
  {
    name: 'Italy',
    given: ['Niccolò', 'Chiara', 'Ettore', 'Livia', 'Dario', 'Rosalba'],
    family: ['Benedetti', 'Forlan', 'Guarnieri', 'Tosi', 'Valmarana', 'Zorzi'],
  },
  {
    name: 'France',
    given: ['Hélène', 'Benoît', 'Maëlle', 'Gaspard', 'Odile', 'Rémi'],
    family: ['Chabrier', 'Lefèvre-Morel', 'Poirot', 'Quintin', 'Vasseur', 'Tessier'],
  },
  {
    name: 'Croatia',
    given: ['Željko', 'Dunja', 'Mislav', 'Nevenka', 'Tin', 'Lucija'],
    family: ['Barišić', 'Čulo', 'Marasović', 'Perko', 'Šare', 'Vidan'],
  },
  {
    name: 'Denmark',
    given: ['Søren', 'Bodil', 'Aksel', 'Freja', 'Rasmus', 'Gry'],
    family: ['Kjær', 'Ørsted', 'Munk', 'Bisgaard', 'Toft', 'Rønne'],
  },
];

/** The lowest fare of each kind of coach, in cents. */
const BASE_FARES: Readonly<Record<string, number>> = {
  sleeper: 9900,
  pod: 7400,
  couchette: 5400,
  seated: 2900,
};

/** Fills `travellers` and `bookings`; a booking's date is one on which its coach's line ran. */
export function generateNightTrains(database: Database.Database, random: SeededRandom): void {
  insertRows(database, 'travellers', generateTravellers(random));
  const coaches = database
    .prepare(
      `SELECT coaches.coach_id, coaches.kind, lines.launched_on, lines.withdrawn_on
       FROM coaches JOIN lines ON lines.line_id = coaches.line_id ORDER BY coaches.coach_id`,
    )
    .raw()
    .all() as [number, string, string, string | null][];

  const bookings: StoredValue[][] = [];
  for (let bookingId = 1; bookingId <= BOOKING_COUNT; bookingId += 1) {
    const [coachId, kind, launchedOn, withdrawnOn] = random.pick(coaches);
    const lastDay = withdrawnOn === null ? LAST_DAY : dayNumber(withdrawnOn);
    const roll = random.between(0, 99);
    const status = roll < 84 ? 'travelled' : roll < 95 ? 'cancelled' : 'no-show';
    const hasBreakfast = kind !== 'seated' && random.chance(60);
    bookings.push([
      bookingId,
      // The last ten travellers have an account but no booking.
      random.between(1, TRAVELLER_COUNT - 10),
      coachId,
      dateText(random.between(dayNumber(launchedOn), lastDay)),
      (BASE_FARES[kind] ?? 3900) + random.between(0, 60) * 100,
      status,
      hasBreakfast ? random.pick(['continental', 'vegan', 'savoury']) : null,
    ]);
  }
  insertRows(database, 'bookings', bookings);
}

function generateTravellers(random: SeededRandom): StoredValue[][] {
  const rows: StoredValue[][] = [];
  const names = new Set<string>();
  while (rows.length < TRAVELLER_COUNT) {
    const country = random.pick(COUNTRIES);
    const name = `${random.pick(country.given)} ${random.pick(country.family)}`;
    if (names.has(name)) continue;
    names.add(name);
    const travellerId = rows.length + 1;
    const loyaltyNumber = random.chance(46)
      ? LOYALTY_BASE + BigInt(travellerId) * 100_003n + BigInt(random.between(1, 99_999))
      : null;
    rows.push([travellerId, name, country.name, loyaltyNumber]);
  }
  return rows;
}

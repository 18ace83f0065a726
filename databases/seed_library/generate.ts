import type Database from 'better-sqlite3';
import { dateText, dayNumber } from '../calendar.ts';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

const PACKET_COUNT = 140;
const LOAN_COUNT = 360;
const TEST_COUNT = 220;
const LAST_DAY = dayNumber('2024-10-31');

interface Packet {
  readonly packetId: number;
  readonly harvestYear: number;
}

/** Fills `packets`, `loans` and `germination_tests`; `swap_requests` stays empty on purpose. */
export function generateSeedLibrary(database: Database.Database, random: SeededRandom): void {
  const members = database.prepare('SELECT member_id, joined_on FROM members').raw().all() as [
    number,
    string,
  ][];
  const varietyCount = database
    .prepare('SELECT count(*) FROM varieties')
    .pluck()
    .get() as unknown as number;

  const packets: Packet[] = [];
  const packetRows: StoredValue[][] = [];
  for (let packetId = 1; packetId <= PACKET_COUNT; packetId += 1) {
    const harvestYear = random.between(2015, 2023);
    packets.push({ packetId, harvestYear });
    packetRows.push([
      packetId,
      // The last variety has no packet yet.
      random.between(1, varietyCount - 1),
      random.chance(74) ? random.pick(members)[0] : null,
      harvestYear,
      random.between(4, 60) * 5,
      `${random.pick(['A', 'B', 'C', 'D'])}${String(random.between(1, 9))}`,
    ]);
  }
  insertRows(database, 'packets', packetRows);
  insertRows(database, 'loans', generateLoans(random, packets, members));
  insertRows(database, 'germination_tests', generateTests(random, packets));
}

function generateLoans(
  random: SeededRandom,
  packets: readonly Packet[],
  members: readonly (readonly [number, string])[],
): StoredValue[][] {
  const rows: StoredValue[][] = [];
  for (let loanId = 1; loanId <= LOAN_COUNT; loanId += 1) {
    const packet = random.pick(packets);
    const [memberId, joinedOn] = random.pick(members);
    const firstDay = Math.max(
      dayNumber(joinedOn),
      dayNumber(`${String(packet.harvestYear + 1)}-01-10`),
    );
    const borrowed = random.between(firstDay, LAST_DAY - 20);
    const returned = borrowed + random.between(110, 320);
    const isReturned = returned <= LAST_DAY && random.chance(72);
    rows.push([
      loanId,
      packet.packetId,
      memberId,
      dateText(borrowed),
      isReturned ? dateText(returned) : null,
      isReturned ? random.between(0, 45) * 4 : null,
    ]);
  }
  return rows;
}

function generateTests(random: SeededRandom, packets: readonly Packet[]): StoredValue[][] {
  const rows: StoredValue[][] = [];
  for (let testId = 1; testId <= TEST_COUNT; testId += 1) {
    const packet = random.pick(packets);
    const tested = random.between(dayNumber(`${String(packet.harvestYear + 1)}-02-01`), LAST_DAY);
    const ageYears = Number(dateText(tested).slice(0, 4)) - packet.harvestYear;
    const sown = random.pick([20, 25, 40, 50]);
    const percent = Math.max(4, 97 - ageYears * 8 - random.between(0, 18));
    rows.push([
      testId,
      packet.packetId,
      dateText(tested),
      sown,
      Math.floor((sown * percent) / 100),
    ]);
  }
  return rows;
}

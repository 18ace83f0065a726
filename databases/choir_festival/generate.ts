import type Database from 'better-sqlite3';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** How good each choir is, by `choir_id`: the middle of the points that it gets. */
const CHOIR_LEVELS = [82, 74, 88, 77, 93, 71, 79, 68, 90, 85, 73, 81, 86, 70, 76, 65, 78, 72];

/** How much each juror adds, by `juror_id`. */
const JUROR_BIASES = [-4, 1, -2, 0, 3, 2];

const FIRST_PERFORMANCE_OF_2024 = 21;

/** Fills `scores`: one row for each performance and juror who was present. */
export function generateChoirFestival(database: Database.Database, random: SeededRandom): void {
  const performances = database
    .prepare('SELECT performance_id, choir_id FROM performances ORDER BY performance_id')
    .raw()
    .all() as [number, number][];
  const rows: StoredValue[][] = [];
  for (const [performanceId, choirId] of performances) {
    for (const [jurorIndex, bias] of JUROR_BIASES.entries()) {
      // The sixth juror joined in 2024, and the third was ill now and then.
      if (jurorIndex === 5 && performanceId < FIRST_PERFORMANCE_OF_2024) continue;
      if (jurorIndex === 2 && random.chance(12)) continue;
      const level = CHOIR_LEVELS[choirId - 1] ?? 75;
      const points = Math.min(100, level + bias + random.between(-7, 7));
      rows.push([performanceId, jurorIndex + 1, points]);
    }
  }
  insertRows(database, 'scores', rows);
}

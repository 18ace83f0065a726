import type Database from 'better-sqlite3';
import { dateText, dateTimeText, dayNumber } from '../calendar.ts';
import { insertRows } from '../insert-rows.ts';
import type { StoredValue } from '../insert-rows.ts';
import type { SeededRandom } from '../seeded-random.ts';

const FIRST_DAY = dayNumber('2024-01-01');
const DAY_COUNT = 366;

/** The gauge that was installed after the year of the readings. */
const GAUGE_WITHOUT_READINGS = 14;

interface Gauge {
  readonly gaugeId: number;
  readonly altitudeM: number;
  readonly alarmLevelMm: number;
}

interface Flood {
  readonly peakDay: number;
  readonly heightPercent: number;
}

/** High waters of the year: the day of the peak, and the peak as a percentage of the alarm level. */
const FLOODS: readonly Flood[] = [
  { peakDay: 24, heightPercent: 61 },
  { peakDay: 79, heightPercent: 83 },
  { peakDay: 131, heightPercent: 48 },
  { peakDay: 263, heightPercent: 72 },
  { peakDay: 327, heightPercent: 90 },
];

/** Fills `readings` (one an hour for a year and gauge: more than 100,000 rows) and `flood_alerts`. */
export function generateRiverGauges(database: Database.Database, random: SeededRandom): void {
  const gauges = database
    .prepare('SELECT gauge_id, altitude_m, alarm_level_mm FROM gauges ORDER BY gauge_id')
    .raw()
    .all()
    .map((row): Gauge => {
      const [gaugeId, altitudeM, alarmLevelMm] = row as [number, number, number];
      return { gaugeId, altitudeM, alarmLevelMm };
    })
    .filter((gauge) => gauge.gaugeId !== GAUGE_WITHOUT_READINGS);
  const alerts: StoredValue[][] = [];
  for (const gauge of gauges) {
    insertRows(database, 'readings', generateReadings(random, gauge, alerts));
  }
  insertRows(database, 'flood_alerts', alerts);
}

function* generateReadings(
  random: SeededRandom,
  gauge: Gauge,
  alerts: StoredValue[][],
): Generator<StoredValue[]> {
  const alarm = gauge.alarmLevelMm;
  let failedHours = 0;
  let alertRaisedAt: string | undefined;
  for (let day = 0; day < DAY_COUNT; day += 1) {
    // Half degrees above the coldest day: a triangle over the year, with its top in July.
    const warmth = Math.floor((Math.min(day, DAY_COUNT - day) * 30) / 183);
    for (let hour = 0; hour < 24; hour += 1) {
      const readAt = dateTimeText(FIRST_DAY + day, hour * 60);
      let level = Math.floor((alarm * 24) / 100) + random.between(-12, 12);
      for (const [index, flood] of FLOODS.entries()) {
        // Lower gauges see the wave later, and each valley gets its own share of it.
        const delayHours = Math.floor((650 - gauge.altitudeM) / 15);
        const hoursOff = Math.abs(day * 24 + hour - flood.peakDay * 24 - delayHours);
        const share = 70 + ((gauge.gaugeId * 17 + index * 29) % 41);
        const peak = Math.floor((alarm * flood.heightPercent * share) / 10_000);
        level += Math.max(0, peak - Math.floor((peak * hoursOff) / 96));
      }
      if (failedHours === 0 && random.between(0, 2999) === 0) failedHours = random.between(2, 9);
      const isFailed = failedHours > 0;
      if (isFailed) failedHours -= 1;

      const halfDegrees = 4 + warmth - Math.floor(gauge.altitudeM / 90) + random.between(-1, 1);
      yield [gauge.gaugeId, readAt, isFailed ? null : level, Math.max(0, halfDegrees) / 2];

      if (alertRaisedAt === undefined && level >= alarm) alertRaisedAt = readAt;
      if (alertRaisedAt !== undefined && level < alarm - 60) {
        alerts.push(newAlert(random, alerts.length + 1, gauge, alertRaisedAt, readAt));
        alertRaisedAt = undefined;
      }
    }
  }
  // Some sirens are tested in summer; the log never clears those alerts.
  if (random.chance(35)) {
    const inspectedOn = dateText(FIRST_DAY + random.between(150, 220));
    alerts.push([
      alerts.length + 1,
      gauge.gaugeId,
      'test',
      `${inspectedOn} 11:00`,
      null,
      'siren check',
    ]);
  }
}

function newAlert(
  random: SeededRandom,
  alertId: number,
  gauge: Gauge,
  raisedAt: string,
  clearedAt: string,
): StoredValue[] {
  const severity = random.pick(['yellow', 'yellow', 'orange', 'red']);
  const message = random.chance(50) ? `Level above ${String(gauge.alarmLevelMm)} mm` : null;
  return [alertId, gauge.gaugeId, severity, raisedAt, clearedAt, message];
}

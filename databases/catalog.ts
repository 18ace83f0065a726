import type Database from 'better-sqlite3';
import { generateBakeryChain } from './bakery_chain/generate.ts';
import { generateChoirFestival } from './choir_festival/generate.ts';
import { generateNightTrains } from './night_trains/generate.ts';
import { generateParcelLockers } from './parcel_lockers/generate.ts';
import { generateRadioArchive } from './radio_archive/generate.ts';
import { generateRepairCafe } from './repair_cafe/generate.ts';
import { generateRiverGauges } from './river_gauges/generate.ts';
import { generateSeedLibrary } from './seed_library/generate.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Where the content of one demo database comes from. */
export interface DemoDatabase {
  /** Also the name of its folder, which holds `schema.sql` and `rows.sql`. */
  readonly databaseId: string;
  /** One sentence for the manifest. */
  readonly description: string;
  /** The seed of the generated rows, if there are any. */
  readonly seed: number;
  /** Adds the tables' rows that are too many to write down. */
  readonly generate?: (database: Database.Database, random: SeededRandom) => void;
}

/** All demo databases, in the order of the manifest. */
export const demoDatabases: readonly DemoDatabase[] = [
  {
    databaseId: 'bakery_chain',
    description:
      'Six bakery shops with their staff, recipes, suppliers and eight weeks of daily sales.',
    seed: 1101,
    generate: generateBakeryChain,
  },
  {
    databaseId: 'cave_survey',
    description: 'Caves, the expeditions that mapped them, and counts of the bats that live there.',
    seed: 1102,
  },
  {
    databaseId: 'choir_festival',
    description:
      'Two years of a choir competition: choirs and names in many scripts, jury scores, no appeals.',
    seed: 1103,
    generate: generateChoirFestival,
  },
  {
    databaseId: 'lighthouse_service',
    description:
      'Lighthouses on an invented northern coast, their lamps, and the people who kept them.',
    seed: 1104,
  },
  {
    databaseId: 'night_trains',
    description:
      'Sleeper trains: lines, stops, coaches, and bookings by travellers with 64-bit loyalty numbers.',
    seed: 1105,
    generate: generateNightTrains,
  },
  {
    databaseId: 'parcel_lockers',
    description:
      'Parcels in street lockers, with 64-bit tracking numbers and binary pickup tokens.',
    seed: 1106,
    generate: generateParcelLockers,
  },
  {
    databaseId: 'radio_archive',
    description:
      'A sound archive: programmes, episodes, tapes with 64-bit barcodes and binary fingerprints.',
    seed: 1107,
    generate: generateRadioArchive,
  },
  {
    databaseId: 'repair_cafe',
    description:
      'Volunteers who mend things that visitors bring to repair events, and how it went.',
    seed: 1108,
    generate: generateRepairCafe,
  },
  {
    databaseId: 'river_gauges',
    description:
      'A year of hourly water levels (more than 100,000 readings) on seven rivers, with flood alerts.',
    seed: 1109,
    generate: generateRiverGauges,
  },
  {
    databaseId: 'seed_library',
    description:
      'A village seed library: varieties, packets, loans and germination tests; nobody asked for a swap.',
    seed: 1110,
    generate: generateSeedLibrary,
  },
];

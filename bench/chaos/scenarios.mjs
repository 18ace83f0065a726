import { clientsStopped } from './clients-stopped.mjs';
import { clientsVanish } from './clients-vanish.mjs';
import { clockJumps } from './clock-jumps.mjs';
import { databaseChanged } from './database-changed.mjs';
import { diskFull } from './disk-full.mjs';
import { fewDescriptors } from './few-descriptors.mjs';
import { garbage } from './garbage.mjs';
import { growth } from './growth.mjs';
import { overload } from './overload.mjs';
import { runaways } from './runaways.mjs';
import { serverKilled } from './server-killed.mjs';
import { slowReader } from './slow-reader.mjs';
import { soak } from './soak.mjs';
import { workerLost } from './worker-lost.mjs';

/** All scenarios, in the order in which they run. `named` ones run only when they are asked for. */
export const SCENARIOS = [
  serverKilled,
  workerLost,
  clientsStopped,
  clientsVanish,
  diskFull,
  databaseChanged,
  clockJumps,
  fewDescriptors,
  overload,
  runaways,
  slowReader,
  garbage,
  growth,
  soak,
];

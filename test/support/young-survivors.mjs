// What outlives a collection of the young generation after it has gone through a collection of objects, megabytes; started by a test.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Slots } from '../../dist/src/slots.js';

const COUNT = 1_500;
const ITEM_LENGTH = 1_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const usedMb = () => getHeapStatistics().used_heap_size / 1e6;

const slots = new Slots();
const set = new Set();
const figures = {
  slotsMb: survivorsMb(
    (item) => slots.add(item),
    (slot) => slots.remove(slot),
  ),
  setMb: survivorsMb(
    (item) => set.add(item) && item,
    (item) => set.delete(item),
  ),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);

/** The best of some rounds; before each the collection is old, as that of a server is. */
function survivorsMb(add, remove) {
  const rounds = Array.from({ length: 5 }, () => {
    collect();
    collect();
    const before = usedMb();
    pass(add, remove);
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    return usedMb() - before;
  });
  return Math.max(0, Math.min(...rounds));
}

function pass(add, remove) {
  const keys = [];
  for (let index = 0; index < COUNT; index += 1)
    keys.push(add(Array.from({ length: ITEM_LENGTH }, () => index)));
  for (const key of keys) remove(key);
}

import { setFlagsFromString } from 'node:v8';

/** To three times what the last collection left, in percent that are added. */
const GROWTH = '--heap-growing-percent=200';
/** What V8 finds right. */
const DEFAULT = '--heap-growing-percent=0';

/** How long a thread may take to load, milliseconds. */
const LOAD_MS = 1_000;

let wanted = false;
let loading: NodeJS.Timeout | undefined;

/**
 * From now on the heaps of this process may grow further until they are collected. What waits for a collection of everything waits for 10
 * to 20 ms, and between think times that was half of the slowest hundredth of all steps.
 */
export function letHeapsGrow(): void {
  wanted = true;
  setFlagsFromString(GROWTH);
}

/**
 * To be called before a thread may start. Under another flag than those that Node was built with, V8 does not take what Node has compiled of
 * its own modules, and a thread takes a quarter more to load: so for a moment there is none.
 */
export function expectThread(): void {
  if (!wanted) return;
  if (loading) {
    loading.refresh();
    return;
  }
  setFlagsFromString(DEFAULT);
  loading = setTimeout(() => {
    loading = undefined;
    setFlagsFromString(GROWTH);
  }, LOAD_MS).unref();
}

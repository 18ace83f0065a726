import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Slots } from '../src/slots.ts';

describe('slots', () => {
  test('hold what was added and not removed, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 99 }), { maxLength: 200 }), (choices) => {
        const slots = new Slots<string>();
        const held = new Map<number, string>();
        for (const [index, choice] of choices.entries()) {
          const known = [...held.keys()];
          const slot = known[choice];
          if (slot === undefined) held.set(slots.add(`item ${index}`), `item ${index}`);
          else {
            slots.remove(slot);
            held.delete(slot);
          }
          expect(slots.size).toBe(held.size);
          expect([...slots].toSorted()).toEqual([...held.values()].toSorted());
        }
      }),
    );
  });

  test('may lose items while they are looked through: those are not seen', () => {
    const slots = new Slots<string>();
    const [, second] = ['a', 'b', 'c'].map((item) => slots.add(item));
    const seen: string[] = [];
    for (const item of slots) {
      if (seen.length === 0) slots.remove(second ?? -1);
      seen.push(item);
    }
    expect(seen).toEqual(['a', 'c']);
  });

  test('keep nothing that has left from a collection of the young generation, as a set did', () => {
    const child = fileURLToPath(new URL('support/young-survivors.mjs', import.meta.url));
    const printed = execFileSync(process.execPath, ['--max-semi-space-size=64', child], {
      encoding: 'utf8',
    });
    const { slotsMb, setMb } = JSON.parse(printed) as { slotsMb: number; setMb: number };
    expect(setMb).toBeGreaterThan(6);
    expect(slotsMb).toBeLessThan(setMb / 10);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { trajectoryLine } from '../../src/episodes/trajectory-line.ts';

test('is what JSON.stringify writes, to the byte, also the second time', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 });
  const message = fc.record({ role: fc.constantFrom('system', 'user'), content: text });
  const trajectory = fc.record({
    version: fc.constant(1),
    labels: fc.dictionary(text, text, { maxKeys: 3 }),
    messages: fc.array(message, { maxLength: 3 }),
    steps: fc.array(fc.record({ text, reward: fc.double() }), { maxLength: 3 }),
    grade: fc.constantFrom(null, undefined, { verdict: 'match' }),
    return: fc.double({ noNaN: true }),
  });
  fc.assert(
    fc.property(trajectory, (value) => {
      const given = value as unknown as Trajectory;
      expect(trajectoryLine(given)).toBe(JSON.stringify(given));
      expect(trajectoryLine(given)).toBe(JSON.stringify(given));
    }),
  );
});

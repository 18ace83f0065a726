import { expect, test } from 'vitest';
import { dateText, dateTimeText, dayNumber, weekday } from '../../databases/calendar.ts';

const MS_PER_DAY = 86_400_000;

test('days become dates and back as in the UTC calendar, for three centuries', () => {
  const wrongDays: number[] = [];
  for (let day = dayNumber('1799-12-30'); day <= dayNumber('2101-03-02'); day += 1) {
    const date = new Date(day * MS_PER_DAY);
    const text = dateText(day);
    const isRight =
      text === date.toISOString().slice(0, 10) &&
      dayNumber(text) === day &&
      weekday(day) === (date.getUTCDay() + 6) % 7;
    if (!isRight) wrongDays.push(day);
  }
  expect(wrongDays).toEqual([]);
});

test('minutes beyond a day reach the following days', () => {
  const day = dayNumber('2024-02-28');
  expect(dateTimeText(day, 0)).toBe('2024-02-28 00:00');
  expect(dateTimeText(day, 1439)).toBe('2024-02-28 23:59');
  expect(dateTimeText(day, 1440 + 61)).toBe('2024-02-29 01:01');
});

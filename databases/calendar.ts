/**
 * Dates as day numbers (days since 1970-01-01) in the Gregorian calendar, by integer arithmetic alone: the `Date` class
 * would bring in the machine's time zone.
 */

/** The day number of a `YYYY-MM-DD` text. */
export function dayNumber(date: string): number {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  // Counting years from March puts the leap day last, so month lengths follow one formula.
  const shiftedYear = month > 2 ? year : year - 1;
  const shiftedMonth = (month + 9) % 12;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * shiftedMonth + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The `YYYY-MM-DD` text of a day number: the inverse of {@link dayNumber}. */
export function dateText(day: number): string {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year)}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

/** The `YYYY-MM-DD HH:MM` text of a day number and a minute of that day (or of a later one). */
export function dateTimeText(day: number, minute: number): string {
  const date = dateText(day + Math.floor(minute / 1440));
  const minuteOfDay = minute % 1440;
  return `${date} ${twoDigits(Math.floor(minuteOfDay / 60))}:${twoDigits(minuteOfDay % 60)}`;
}

/** 0 for Monday to 6 for Sunday. */
export function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}

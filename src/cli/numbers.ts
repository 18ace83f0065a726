import { ConfigError } from '../config.ts';

/** The whole number that a flag of a command holds. Throws `ConfigError` if it is none, or out of range. */
export function wholeNumber(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError([
    `${flag}: ${JSON.stringify(text)} is not allowed; it must be a whole number from ${min} to ${max}`,
  ]);
}

/** The number that a flag of a command holds. Throws `ConfigError` if it is none, or out of range. */
export function decimalNumber(flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError([
    `${flag}: ${JSON.stringify(text)} is not allowed; it must be a number from ${min} to ${max}`,
  ]);
}

import { FIELD_LIMITS } from '../../env/limits.ts';
import { utf8Size } from '../../env/utf8.ts';
import { ServerError } from '../errors.ts';

/** An error that names the field as the proto does, and says what is allowed. */
export function invalidField(field: string, problem: string): ServerError {
  return new ServerError('INVALID_FIELD', `${field}: ${problem}`, { metadata: { field } });
}

/** A text of at most so many UTF-8 bytes. */
export function checkText(field: string, text: string, bytesMax: number): string {
  // A character takes three bytes at most, and most texts are short.
  if (text.length * 3 <= bytesMax) return text;
  const bytes = utf8Size(text);
  if (bytes > bytesMax) {
    throw invalidField(field, `${bytes} bytes are too many; at most ${bytesMax} are allowed`);
  }
  return text;
}

/** A text that is not empty. */
export function checkRequiredText(field: string, text: string, bytesMax: number): string {
  if (text === '') throw invalidField(field, `it is missing; 1 to ${bytesMax} bytes are allowed`);
  return checkText(field, text, bytesMax);
}

/** An id: 1 to 200 bytes. */
export function checkId(field: string, id: string): string {
  return checkRequiredText(field, id, FIELD_LIMITS.idBytesMax);
}

/** A SHA-256 in lower-case hex, or nothing. */
export function checkSha256(field: string, hash: string): string {
  if (hash === '' || /^[0-9a-f]{64}$/.test(hash)) return hash;
  throw invalidField(field, 'it must be empty or 64 lower-case hexadecimal digits');
}

/** A whole number in a range, or undefined for 0: the default. */
export function checkRange(
  field: string,
  value: number,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  if (value === 0) return undefined;
  if (value >= range.min && value <= range.max) return value;
  throw invalidField(
    field,
    `${value} is not allowed; it must be ${range.min} to ${range.max}, or 0 for the default`,
  );
}

/** Free labels: a bounded number, keys and values of a bounded size, keys not empty. */
export function checkLabels(
  field: string,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { labelCountMax, labelBytesMax } = FIELD_LIMITS;
  const entries = Object.entries(labels);
  if (entries.length > labelCountMax) {
    throw invalidField(field, `${entries.length} are too many; at most ${labelCountMax}`);
  }
  for (const [key, value] of entries) {
    checkRequiredText(`${field} (a key)`, key, labelBytesMax);
    checkText(`${field}["${key}"]`, value, labelBytesMax);
  }
  return labels;
}

/** Turns a wire enum into the domain's; undefined for the zero value, an error for one that is not known. */
export function decodeEnum<D extends string>(
  field: string,
  wire: string | number,
  prefix: string,
  values: readonly D[],
): D | undefined {
  if (wire === `${prefix}UNSPECIFIED`) return undefined;
  const value = values.find((candidate) => wire === encodeEnum(prefix, candidate));
  if (value !== undefined) return value;
  const names = values.map((candidate) => encodeEnum(prefix, candidate));
  throw invalidField(field, `${wire} is not known; it must be one of ${names.join(', ')}`);
}

/** Wire names by prefix and value: there are few, and every step has half a dozen. */
const wireNames = new Map<string, Map<string, string>>();

/** The wire name of a domain value: `sql_error` is `QUERY_STATUS_SQL_ERROR`. */
export function encodeEnum<P extends string, D extends string>(
  prefix: P,
  value: D,
): `${P}${Uppercase<D>}` {
  let names = wireNames.get(prefix);
  if (names === undefined) wireNames.set(prefix, (names = new Map()));
  let name = names.get(value);
  if (name === undefined) names.set(value, (name = `${prefix}${value.toUpperCase()}`));
  return name as `${P}${Uppercase<D>}`;
}

/** The one member of a oneof that is set. A hand-made message can hold several; the protobuf rules would hide that. */
export function checkOneof<M extends string>(
  field: string,
  message: Readonly<Partial<Record<M, unknown>>>,
  members: readonly M[],
): M {
  const present = members.filter((member) => (message[member] ?? undefined) !== undefined);
  const [member] = present;
  if (member !== undefined && present.length === 1) return member;
  const problem = present.length === 0 ? 'it is missing' : `${present.length} are set`;
  const names = members.map(snakeCase).join(', ');
  throw invalidField(field, `${problem}; exactly one of ${names} must be set`);
}

/** `taskId` as the proto spells it: `task_id`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The monotonic clock that all threads share, microseconds. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

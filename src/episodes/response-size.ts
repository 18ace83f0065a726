import { FIELD_LIMITS, type EpisodeLimits } from '../../env/limits.ts';
import type { ObservationOptions } from '../../env/query.ts';
import { ServerError } from '../errors.ts';

/** UTF-8 bytes that a code point and the marker of a shortened text can take. */
const CODE_POINT_BYTES_MAX = 4;
const MARKER_BYTES = 64;
/** What a Step's response holds besides the observations: the SQL of its calls, or answer and verdict. */
const OTHER_BYTES = 1_150_000;

/**
 * Throws INVALID_FIELD if the observations of one turn could make a response larger than a message may be. Better at Reset
 * than after a step that has been taken.
 */
export function checkResponseSize(limits: EpisodeLimits, observation: ObservationOptions): void {
  const { parallelCallCountMax, resultBytesMax } = limits;
  const { textSizeMax } = observation;
  const shownBytes = CODE_POINT_BYTES_MAX * textSizeMax + MARKER_BYTES;
  const callBytes = textSizeMax === 0 ? resultBytesMax : Math.min(resultBytesMax, shownBytes);
  const room = Math.floor((FIELD_LIMITS.messageBytesMax - OTHER_BYTES) / parallelCallCountMax);
  if (callBytes <= room) return;
  throw new ServerError(
    'INVALID_FIELD',
    `limits.result_bytes_max: ${resultBytesMax} is not allowed with limits.parallel_call_count_max ` +
      `${parallelCallCountMax} and observation.text_size_max ${textSizeMax}: it must be at most ${room}, ` +
      'so that a response fits into a message',
    { metadata: { field: 'limits.result_bytes_max' } },
  );
}

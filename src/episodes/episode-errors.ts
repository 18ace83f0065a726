import { ServerError } from '../errors.ts';
import type { StepRequest } from './requests.ts';

/** No new episodes: the server is shutting down. */
export function draining(): ServerError {
  return new ServerError('DRAINING', 'the server is shutting down and takes no new episodes');
}

/** The id belongs to another episode. */
export function episodeIdTaken(episodeId: string): ServerError {
  return new ServerError(
    'EPISODE_ID_TAKEN',
    `episode ${episodeId} was opened by a different request; choose a new episode_id`,
    { metadata: { episodeId } },
  );
}

/** No such episode. */
export function episodeNotFound(episodeId: string): ServerError {
  return new ServerError(
    'EPISODE_NOT_FOUND',
    `there is no episode ${episodeId}: it was never opened here, its lease ran out, or the server restarted`,
    { metadata: { episodeId } },
  );
}

/** The episode takes no more steps. */
export function episodeEnded(episodeId: string): ServerError {
  return new ServerError('EPISODE_ENDED', `episode ${episodeId} has ended`, {
    metadata: { episodeId },
  });
}

/** The step can't be taken now. */
export function stepConflict(request: StepRequest, problem: string): ServerError {
  const { episodeId, stepIndex } = request;
  return new ServerError(
    'STEP_CONFLICT',
    `step ${stepIndex} of episode ${episodeId} can't be taken: ${problem}`,
    { metadata: { episodeId, stepIndex } },
  );
}

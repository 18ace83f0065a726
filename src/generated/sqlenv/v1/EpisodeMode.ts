// Original file: proto/sqlenv/v1/episode.proto

/**
 * What an episode is for. It is recorded, and changes neither observations nor rewards.
 */
export const EpisodeMode = {
  /**
   * Taken as train.
   */
  EPISODE_MODE_UNSPECIFIED: 'EPISODE_MODE_UNSPECIFIED',
  /**
   * A rollout that is learned from.
   */
  EPISODE_MODE_TRAIN: 'EPISODE_MODE_TRAIN',
  /**
   * A rollout that measures.
   */
  EPISODE_MODE_EVAL: 'EPISODE_MODE_EVAL',
} as const;

/**
 * What an episode is for. It is recorded, and changes neither observations nor rewards.
 */
export type EpisodeMode =
  /**
   * Taken as train.
   */
  | 'EPISODE_MODE_UNSPECIFIED'
  | 0
  /**
   * A rollout that is learned from.
   */
  | 'EPISODE_MODE_TRAIN'
  | 1
  /**
   * A rollout that measures.
   */
  | 'EPISODE_MODE_EVAL'
  | 2

/**
 * What an episode is for. It is recorded, and changes neither observations nor rewards.
 */
export type EpisodeMode__Output = typeof EpisodeMode[keyof typeof EpisodeMode]

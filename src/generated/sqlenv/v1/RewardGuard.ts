// Original file: proto/sqlenv/v1/score.proto

/**
 * What happens to matches that the flags make suspect.
 */
export const RewardGuard = {
  /**
   * The server's default.
   */
  REWARD_GUARD_UNSPECIFIED: 'REWARD_GUARD_UNSPECIFIED',
  /**
   * Record the flags; the reward stays.
   */
  REWARD_GUARD_FLAG: 'REWARD_GUARD_FLAG',
  /**
   * Empty against empty, and answers that read no table, get reward 0.
   */
  REWARD_GUARD_STRICT: 'REWARD_GUARD_STRICT',
} as const;

/**
 * What happens to matches that the flags make suspect.
 */
export type RewardGuard =
  /**
   * The server's default.
   */
  | 'REWARD_GUARD_UNSPECIFIED'
  | 0
  /**
   * Record the flags; the reward stays.
   */
  | 'REWARD_GUARD_FLAG'
  | 1
  /**
   * Empty against empty, and answers that read no table, get reward 0.
   */
  | 'REWARD_GUARD_STRICT'
  | 2

/**
 * What happens to matches that the flags make suspect.
 */
export type RewardGuard__Output = typeof RewardGuard[keyof typeof RewardGuard]

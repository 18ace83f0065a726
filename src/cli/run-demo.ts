import Table from 'cli-table3';
import pc from 'picocolors';
import { playBatch, type BatchPlayed, type EpisodePlayed } from '../demo/batch.ts';
import { ConfigError } from '../config.ts';
import { connectClient } from '../rpc/client.ts';
import { startChildServer } from './child-server.ts';
import type { DemoFlags } from './demo.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { wholeNumber } from './numbers.ts';
import { showProgress } from './progress.ts';

/** Plays the batch on a server of its own and prints what came of it. Gives the exit code. */
export async function runDemo(flags: DemoFlags): Promise<number> {
  const options = {
    taskCount: wholeNumber('--tasks', flags.tasks, 1, 84),
    rolloutCount: wholeNumber('--rollouts', flags.rollouts, 1, 64),
    queryMsMax: wholeNumber('--query-ms-max', flags.queryMsMax, 1, 60_000),
  };
  const server = await startChildServer(['--demo', '--log-level', 'warn', ...recordFlags(flags)]);
  const client = connectClient(server.address);
  const progress = showProgress('episodes');
  try {
    const batch = await playBatch(client, { ...options, onProgress: progress.update });
    progress.stop();
    process.stdout.write(flags.json === true ? jsonReport(batch) : textReport(batch));
    return batch.episodes.every(isAsScripted) ? EXIT_OK : EXIT_PROBLEMS;
  } finally {
    progress.stop();
    client.disconnect();
    await server.stop();
  }
}

/** What the server is told; unless it is told, it records nothing. */
function recordFlags({ record, recordGold }: DemoFlags): string[] {
  if (record === undefined && recordGold === true) {
    throw new ConfigError(['--record-gold goes with --record DIR']);
  }
  if (record === undefined) return [];
  return ['--record', record, ...(recordGold === true ? ['--record-gold'] : [])];
}

/** A runaway answers with the gold after its query was stopped, so it earns what the gold does. */
function isAsScripted({ policy, reward }: EpisodePlayed): boolean {
  return reward === (policy === 'gold' || policy === 'runaway' ? 1 : 0);
}

/** Episodes by policy, in the order of their first appearance. */
function byPolicy(batch: BatchPlayed): Map<string, EpisodePlayed[]> {
  const groups = new Map<string, EpisodePlayed[]>();
  for (const episode of batch.episodes) {
    groups.set(episode.policy, [...(groups.get(episode.policy) ?? []), episode]);
  }
  return groups;
}

interface PolicyFigures {
  readonly policy: string;
  readonly episodeCount: number;
  readonly rewardMean: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly stepMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

function figuresOf(policy: string, episodes: readonly EpisodePlayed[]): PolicyFigures {
  const verdicts: Record<string, number> = {};
  for (const { verdict } of episodes) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  const stepMs = episodes.flatMap((episode) => episode.stepMs).toSorted((a, b) => a - b);
  const quantile = (share: number): number =>
    stepMs[Math.min(stepMs.length - 1, Math.floor(share * stepMs.length))] ?? 0;
  return {
    policy,
    episodeCount: episodes.length,
    rewardMean: episodes.reduce((sum, { reward }) => sum + reward, 0) / episodes.length,
    verdicts,
    stepMs: { p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) },
  };
}

function jsonReport(batch: BatchPlayed): string {
  const { wallMs, stepCount, episodes } = batch;
  const policies = [...byPolicy(batch)].map(([policy, group]) => figuresOf(policy, group));
  const report = {
    episode_count: episodes.length,
    step_count: stepCount,
    wall_ms: wallMs,
    as_scripted_count: episodes.filter(isAsScripted).length,
    policies: policies.map(({ policy, episodeCount, rewardMean, verdicts, stepMs }) => ({
      policy,
      episode_count: episodeCount,
      reward_mean: rewardMean,
      verdicts,
      step_ms: stepMs,
    })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function textReport(batch: BatchPlayed): string {
  const table = new Table({
    head: ['policy', 'episodes', 'reward', 'verdicts', 'step p50', 'p99', 'max'],
    colAligns: ['left', 'right', 'right', 'left', 'right', 'right', 'right'],
    style: { head: pc.isColorSupported ? ['bold'] : [], border: [] },
  });
  for (const [policy, episodes] of byPolicy(batch)) {
    const { episodeCount, rewardMean, verdicts, stepMs } = figuresOf(policy, episodes);
    const shown = Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict}`);
    const times = [stepMs.p50, stepMs.p99, stepMs.max].map((ms) => `${ms.toFixed(1)} ms`);
    table.push([policy, episodeCount, rewardMean.toFixed(3), shown.join('\n'), ...times]);
  }
  const { episodes, wallMs, stepCount } = batch;
  const seconds = wallMs / 1_000;
  const scripted = episodes.filter(isAsScripted).length;
  return [
    table.toString(),
    `${episodes.length} episodes and ${stepCount} steps in ${seconds.toFixed(2)} s: ` +
      `${(episodes.length / seconds).toFixed(0)} episodes/s, ${(stepCount / seconds).toFixed(0)} steps/s`,
    `${scripted} of ${episodes.length} episodes got the reward of their script`,
    '',
  ].join('\n');
}

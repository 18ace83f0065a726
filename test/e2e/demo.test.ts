import { expect, it } from 'vitest';
import { runSqlenv } from '../support/cli.ts';

interface Report {
  readonly episode_count: number;
  readonly as_scripted_count: number;
  readonly policies: readonly { readonly policy: string; readonly reward_mean: number }[];
}

it('plays a batch in which every policy earns what its script deserves', async () => {
  const { exitCode, stdout, stderr } = await runSqlenv([
    ...['demo', '--json', '--tasks', '24', '--query-ms-max', '500'],
  ]);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  const report = JSON.parse(stdout) as Report;
  expect(report.episode_count).toBe(24 * 8);
  expect(report.as_scripted_count).toBe(24 * 8);
  const means = Object.fromEntries(report.policies.map((each) => [each.policy, each.reward_mean]));
  expect(means).toEqual({ gold: 1, wrong: 0, malformed: 0, hostile: 0, runaway: 1 });
});

it('prints a table for people', async () => {
  const { exitCode, stdout } = await runSqlenv(['demo', '--tasks', '2', '--query-ms-max', '100']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('policy');
  expect(stdout).toContain('16 of 16 episodes got the reward of their script');
});

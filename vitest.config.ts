import { defineConfig } from 'vitest/config';

/** Tests without servers or clocks of their own, and those whose servers have all the time they want: two files at a time. */
const SIDE_BY_SIDE = [
  'test/{databases,env,evaluate,parity,prepare,replay,tasks}/**/*.test.ts',
  'test/loadtest/{compare,distributions,histogram,plan,report,thresholds}.test.ts',
  'test/cli/{config,evaluate,replay,replay-list}.test.ts',
  'test/e2e/{demo,replay,replay-spider,validate}.test.ts',
  'test/metrics/{documents,scrape-server}.test.ts',
];

const common = {
  // Worker threads can't start a .ts file on Node 20, so tests run against the built product.
  globalSetup: ['test/global-setup.ts'],
  pool: 'forks' as const,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          ...common,
          name: 'side by side',
          include: SIDE_BY_SIDE,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'one by one',
          include: ['test/**/*.test.ts'],
          exclude: SIDE_BY_SIDE,
          // These measure time: real servers, threads and sockets share two cores, so files run one after another.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';

/** Tests without servers, threads or clocks of their own: two files at a time. */
const PURE = [
  'test/env/**/*.test.ts',
  'test/tasks/**/*.test.ts',
  'test/databases/**/*.test.ts',
  'test/replay/*.test.ts',
  'test/replay/terminal/{hints,text,frame,state,screen,views}*.test.ts',
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
          include: PURE,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'one by one',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          // Real servers, threads and sockets share two cores here: files run one after another in their own process.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

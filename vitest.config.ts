import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Worker threads can't start a .ts file on Node 20, so tests run against the built product.
    globalSetup: ['test/global-setup.ts'],
    // Real servers, threads and sockets share two cores here: files run one after another in their own process.
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/e2e/warm/setup.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A loaded machine is slow to settle, and settling is what a poll waits for.
    expect: { poll: { timeout: 20_000, interval: 20 } },
  },
});

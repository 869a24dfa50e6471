import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{spec,generated,server,client,conformance}/**/*.test.ts'],
    // A test that needs longer than this is waiting for something that will not come.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    retry: 0,
    allowOnly: false,
    maxWorkers: 2,
  },
});

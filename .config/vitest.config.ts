import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{spec,generated,server,client,conformance}/**/*.test.ts'],
    // A test that needs longer than this is waiting for something that will not come.
    // Some start the whole gateway three times over, which took 20 s on two cores with a load of twelve.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A poll waits for what must come. When it comes is the machine's affair: a second decides nothing but how busy that is.
    expect: { poll: { timeout: 30_000 } },
    retry: 0,
    allowOnly: false,
    maxWorkers: 2,
  },
});

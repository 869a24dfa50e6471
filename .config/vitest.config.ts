import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowFirst } from './slow-first.ts';
import { SlowReport } from './slow-report.ts';

// Halves the start of each program that a test runs. The workers inherit the variable, and enable the cache too.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));

export const browserTests = 'client/browser/**';
export const llamaTests = 'server/llama-trial/**';
export const webTests = 'server/web/browser/**';

export default defineConfig({
  test: {
    include: ['{spec,generated,server,client,conformance}/**/*.test.ts'],
    // `npm run test:browser` runs these, because they need Chromium.
    // `npm run test:web` runs the tests of the web page, which need Chromium too.
    // `npm run test:llama` runs the others, because they need llama.cpp.
    exclude: [...configDefaults.exclude, browserTests, llamaTests, webTests],
    // Some tests start three gateways, which took 20 s on two cores with a load of twelve.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A poll waits for a certain result. Only the load of the machine decides how long that takes.
    expect: { poll: { timeout: 30_000 } },
    retry: 0,
    allowOnly: false,
    // Tests wait for chains and databases a quarter of their time. On two cores, three workers took 295 s and two 373 s.
    maxWorkers: 3,
    // A worker keeps its modules from file to file, so that it imports ethers once. No test replaces a module.
    isolate: false,
    reporters: ['default', new SlowReport()],
    sequence: { sequencer: SlowFirst },
  },
});

import { configDefaults, defineConfig } from 'vitest/config';
import config, { webTests } from './vitest.config.ts';

/** The tests of the web page in a real browser alone. */
export default defineConfig({
  test: {
    ...config.test,
    include: [`${webTests}/*.test.ts`],
    exclude: configDefaults.exclude,
    maxWorkers: 1,
  },
});

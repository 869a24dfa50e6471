import { configDefaults, defineConfig } from 'vitest/config';
import config, { browserTests } from './vitest.config.ts';

/** The tests in a real browser alone. */
export default defineConfig({
  test: { ...config.test, include: [`${browserTests}/*.test.ts`], exclude: configDefaults.exclude },
});

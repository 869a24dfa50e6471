import { configDefaults, defineConfig } from 'vitest/config';
import config, { llamaTests } from './vitest.config.ts';

/** The tests with llama.cpp alone. */
export default defineConfig({
  test: { ...config.test, include: [`${llamaTests}/*.test.ts`], exclude: configDefaults.exclude },
});

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { listUnitTests } from '../spec/scripts/unit-tests.ts';
import config from './vitest.config.ts';

/** The unit tests alone: no processes, no chain, no whole run of the suite. */
export default defineConfig({
  test: { ...config.test, include: [...listUnitTests(fileURLToPath(new URL('..', import.meta.url)))] },
});

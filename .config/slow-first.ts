import { fileURLToPath } from 'node:url';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { listUnitTests } from '../spec/scripts/unit-tests.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Starts the tests with processes and whole runs of the suite before the unit tests. A long file that starts last
 * leaves the other workers idle.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const unitTests = new Set(listUnitTests(root).map((path) => `${root}${path}`));
    const sorted = await super.sort(files);
    return [false, true].flatMap((isUnit) =>
      sorted.filter(({ moduleId }) => unitTests.has(moduleId) === isUnit),
    );
  }
}

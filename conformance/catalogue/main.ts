import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { requirements } from '@paid-inference/contract/requirements';
import { checks } from '../checks/all.ts';
import { listMutants } from '../mutants/alone.ts';
import { networkMutants } from '../testing/chain/network-mutants.ts';
import { renderCoverage } from './coverage.ts';
import { withMustLines } from './must-numbers.ts';
import { readSentences } from './sentences.ts';

const file = new URL('../COVERAGE.md', import.meta.url);
const { values: options } = parseArgs({
  options: {
    /** Only compares, and fails if COVERAGE.md or README.md is out of date. */
    check: { type: 'boolean', default: false },
  },
});

const wanted = renderCoverage({
  sections: readSentences(),
  checks,
  // The mutants of networks and limits are not part of the kill matrix; they have their own tests.
  killers: (requirement) => [
    ...listMutants(requirement),
    ...networkMutants.filter(({ kills }) => kills.includes(requirement)).map(({ id }) => id),
  ],
});
const readme = new URL('../README.md', import.meta.url);
const wantedReadme = withMustLines(readFileSync(readme, 'utf8'));
if (!options.check) {
  writeFileSync(file, wanted);
  writeFileSync(readme, wantedReadme);
}
if (readFileSync(file, 'utf8') === wanted && readFileSync(readme, 'utf8') === wantedReadme) {
  console.log(`COVERAGE.md is up to date (${Object.keys(requirements).length} requirements)`);
} else {
  console.log('COVERAGE.md or README.md is out of date. Run `npm run generate` and commit the result');
  process.exitCode = 1;
}

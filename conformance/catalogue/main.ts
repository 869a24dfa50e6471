import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { requirements } from '@paid-inference/contract/requirements';
import { checks } from '../checks/all.ts';
import { mutantsOf } from '../mutants/alone.ts';
import { networkMutants } from '../testing/network-mutants.ts';
import { renderCoverage } from './coverage.ts';
import { withMustLines } from './must-numbers.ts';
import { readSentences } from './sentences.ts';

const file = new URL('../COVERAGE.md', import.meta.url);
const { values: options } = parseArgs({
  options: {
    /** Change nothing; fail where COVERAGE.md is not what the contract, the catalogue and the checks say. */
    check: { type: 'boolean', default: false },
  },
});

const wanted = renderCoverage({
  sections: readSentences(),
  checks,
  // Those of networks and limits have tests of their own beside the checks.
  killers: (requirement) => [
    ...mutantsOf(requirement),
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
  console.log(`COVERAGE.md is what ${Object.keys(requirements).length} requirements say`);
} else {
  console.log(
    'COVERAGE.md or README.md is not what requirements and checks say: run `npm run generate` and commit',
  );
  process.exitCode = 1;
}

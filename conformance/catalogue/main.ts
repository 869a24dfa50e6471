import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { requirements } from '@paid-inference/contract/requirements';
import { checks } from '../checks/all.ts';
import { listMutants } from '../mutants/alone.ts';
import { networkMutants } from '../testing/chain/network-mutants.ts';
import { withClientTables } from './clients.ts';
import { renderCoverage } from './coverage.ts';
import { withMustLines } from './must-numbers.ts';
import { readSentences } from './sentences.ts';

const file = new URL('../COVERAGE.md', import.meta.url);
const { values: options } = parseArgs({
  options: {
    /** Only compares, and fails if a generated page is out of date. */
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
const clients = new URL('../CLIENTS.md', import.meta.url);
const pages = [
  [file, wanted],
  [readme, withMustLines(readFileSync(readme, 'utf8'))],
  [clients, withClientTables(readFileSync(clients, 'utf8'))],
] as const;
if (!options.check) for (const [page, text] of pages) writeFileSync(page, text);
if (pages.every(([page, text]) => readFileSync(page, 'utf8') === text)) {
  console.log(`COVERAGE.md is up to date (${Object.keys(requirements).length} requirements)`);
} else {
  console.log(
    'COVERAGE.md, README.md or CLIENTS.md is out of date. Run `npm run generate` and commit the result',
  );
  process.exitCode = 1;
}

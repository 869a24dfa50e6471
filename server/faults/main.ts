import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { endOnSignals, exitCode, readOptions } from '../testing/command.ts';
import { scenarios } from './all.ts';
import { runScenarios } from './run.ts';
import type { Findings } from './scenario.ts';
import { markdownTable, textTable } from './table.ts';

const help = `Injects real faults into real gateway processes, and compares the responses with store and chain.

Usage: npm run test:faults -- [options]

  --seed <n>       the same seed makes the same choices; a new one by default, which is printed
  --only <text>    only scenarios with this text in group or name
  --parallel <n>   number of concurrent scenarios, 4 by default
  --json <file>    write the findings as JSON
  --markdown       print the table as Markdown
  --list           print the names only
  --help           this text

Exit codes: 0 every verdict holds, 1 a verdict is false, 2 wrong usage.`;

endOnSignals();

const values = readOptions({
  seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
  only: { type: 'string', default: '' },
  parallel: { type: 'string', default: '4' },
  json: { type: 'string' },
  markdown: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});
const [seed, parallel] = [Number(values.seed), Number(values.parallel)];
const chosen = scenarios.filter(({ group, name, store }) =>
  `${group}: ${name} (${store})`.includes(values.only),
);
if (values.help) {
  console.log(help);
} else if (values.list) {
  for (const { group, name, store } of chosen) console.log(`${group}: ${name} (${store})`);
} else if (
  !Number.isSafeInteger(seed) ||
  !Number.isSafeInteger(parallel) ||
  parallel < 1 ||
  chosen.length === 0
) {
  console.error('Wrong usage, or no such scenario. --help shows the options, --list the scenarios.');
  process.exitCode = exitCode.usage;
} else {
  await run();
}

async function run(): Promise<void> {
  console.error(`seed ${seed}, ${chosen.length} scenarios`);
  const startedAt = performance.now();
  const found = await runScenarios(chosen, { seed, parallel, onFindings: tell });
  console.log(values.markdown ? markdownTable(found) : textTable(found));
  const wrong = found.filter(({ faults }) => faults.length > 0);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`\nseed ${seed}: ${found.length} scenarios in ${seconds} s, ${wrong.length} verdicts false`);
  if (values.json !== undefined)
    writeFileSync(values.json, JSON.stringify({ seed, found: found.map(toJson) }, null, 2));
  process.exit(wrong.length > 0 ? exitCode.failed : 0);
}

function tell({ scenario, faults, tookMs, log }: Findings, done: number, all: number): void {
  const verdict = faults.length === 0 ? 'holds' : `FALSE: ${faults.join('; ')}\n${log}`;
  console.error(
    `${done}/${all} ${scenario.group}: ${scenario.name} (${scenario.store}) ${tookMs} ms: ${verdict}`,
  );
}

function toJson({ scenario, ...findings }: Findings): object {
  const { run: _run, ...rest } = scenario;
  return { ...rest, ...findings };
}

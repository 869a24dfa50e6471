import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { renderCharts } from '../bench/chart.ts';
import { endOnSignals, exitCode, readOptions } from '../testing/command.ts';
import { describeMachine } from './machine.ts';
import { printLaws } from './print-laws.ts';
import { type LoadFindings, runLoad } from './run-load.ts';

const help = `Loads one gateway on a devnet, below and above its capacity, on Linux.

Usage: npm run test:load -- [options]

  1. measures the capacity for 30 seconds
  2. soaks the gateway at 80 % of the capacity; its p99 and its memory must stay flat
  3. overloads it with three times the capacity for a minute; the surplus must get 503 with Retry-After
  4. waits for its recovery, which must take at most 5 seconds
  5. compares all responses with the chain and the store; no payment may be lost or charged twice

  --minutes N    length of the soak (default: 10)
  --out FOLDER   where to write load.json and load.svg (default: load-results)
  --json         print the findings as JSON instead of text
  --help         print this text

Progress goes to standard error. Run it on a machine without other load.
Exit codes: 0 all laws hold, 1 a law is false, 2 wrong usage.`;

/** Average of foreign cores above which the figures are in doubt. */
const foreignCoresMax = 0.1;

endOnSignals();

const values = readOptions({
  minutes: { type: 'string', default: '10' },
  out: { type: 'string', default: 'load-results' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});
const minutes = Number(values.minutes);

if (values.help) console.log(help);
else if (minutes >= 1 && minutes <= 600) await run();
else {
  console.error(`--minutes must be 1 to 600, not ${values.minutes}. --help shows the options.`);
  process.exitCode = exitCode.usage;
}

async function run(): Promise<void> {
  const startedAt = performance.now();
  const say = (line: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5);
    console.error(`${seconds} s  ${line}`);
  };
  const findings = await runLoad(minutes, say);
  const host = { cores: cpus().length, processor: cpus()[0]?.model ?? '', node: process.version };
  const json = JSON.stringify({ host, ...findings }, null, 2);
  const folder = resolve(values.out);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/load.json`, `${json}\n`);
  writeFileSync(`${folder}/load.svg`, renderCharts(findings.charts, 'Metrics of the gateway under load'));
  console.log(values.json ? json : describe(findings));
  process.exit(findings.laws.every(({ holds }) => holds) ? 0 : exitCode.failed);
}

function describe({ capacityPerSecond, soak, overload, machine, foreignCores, laws }: LoadFindings): string {
  const isBusy = foreignCores !== null && foreignCores > foreignCoresMax;
  const busy = isBusy
    ? ` Other programs used ${foreignCores.toFixed(2)} cores. Repeat the run on a quiet machine.`
    : '';
  return [
    `${cpus().length} cores, Node ${process.version}.${busy}`,
    `Capacity ${capacityPerSecond.toFixed(0)} payments a second.`,
    `Soak at ${soak.perSecond.toFixed(0)} a second: p50 ${soak.p50Ms.toFixed(0)} ms, p99 ${soak.p99Ms.toFixed(0)} ms.`,
    describeMachine(machine),
    `Overload with ${overload.perSecond.toFixed(0)} a second: ${overload.servedPerSecond.toFixed(0)} a second served.`,
    '',
    printLaws(laws),
  ].join('\n');
}

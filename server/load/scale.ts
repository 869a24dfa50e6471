import { cpus } from 'node:os';
import { endOnSignals, exitCode, readOptions } from '../testing/command.ts';
import { nginxProgram } from '../testing/deploy/nginx.ts';
import { printLaws } from './print-laws.ts';
import { runScale, type ScaleFindings } from './run-scale.ts';

const help = `Loads 1, 2 and 4 gateways on one PostgreSQL store behind nginx, on a devnet. Needs Linux and nginx.

Usage: npm run test:scale -- [options]

  1. measures the payments a second of each number of gateways
  2. restarts the last gateways one after the other under load (SIGTERM)
  3. kills one of them under load (SIGKILL), and starts it again
  4. compares all responses with the chain and the store; no payment may be lost or charged twice

  --gateways a,b   numbers of gateways, in this order (default: 1,2,4)
  --seconds N      load for each number (default: 20)
  --json           print the findings as JSON instead of text
  --help           print this text

DATABASE_URL names a PostgreSQL server that may be used; without it, one from npm is started. The payments a second are
comparable within one run on a machine without other load. Gateways, chain, database, nginx and clients share its cores.
Exit codes: 0 all laws hold, 1 a law is false, 2 wrong usage.`;

const gatewaysMax = 16;

endOnSignals();

const values = readOptions({
  gateways: { type: 'string', default: '1,2,4' },
  seconds: { type: 'string', default: '20' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
});
const gateways = values.gateways.split(',').map(Number);
const seconds = Number(values.seconds);
const isUsable =
  gateways.every((count) => Number.isInteger(count) && count >= 1 && count <= gatewaysMax) && seconds >= 1;

if (values.help) console.log(help);
else if (!isUsable || nginxProgram === null) {
  console.error(isUsable ? 'nginx is not installed.' : 'Wrong usage. --help shows the options.');
  process.exitCode = exitCode.usage;
} else await run();

async function run(): Promise<void> {
  const startedAt = performance.now();
  const say = (line: string) => {
    const elapsed = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5);
    console.error(`${elapsed} s  ${line}`);
  };
  const findings = await runScale({ gateways, seconds, say });
  const machine = { cores: cpus().length, processor: cpus()[0]?.model ?? '', node: process.version };
  console.log(values.json ? JSON.stringify({ machine, ...findings }, null, 2) : describe(findings));
  process.exit(findings.laws.every(({ holds }) => holds) ? 0 : exitCode.failed);
}

function describe({ rows, foreignCores, laws }: ScaleFindings): string {
  const first = rows[0]?.perSecond ?? Number.NaN;
  const others = foreignCores === null ? 'an unknown number of' : foreignCores.toFixed(2);
  return [
    `${cpus().length} cores, Node ${process.version}; other programs used ${others} cores.`,
    '',
    'gateways  payments/s  ratio',
    ...rows.map(
      ({ gateways: count, perSecond }) =>
        `${String(count).padStart(8)}${perSecond.toFixed(0).padStart(12)}${(perSecond / first).toFixed(2).padStart(7)}`,
    ),
    '',
    printLaws(laws),
  ].join('\n');
}

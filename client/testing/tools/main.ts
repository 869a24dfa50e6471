import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startGatewayProcess } from '../../demo/gateway-process.ts';
import { openSettledPayments } from '../settled.ts';
import { hasPython, installTool, readToolVersion } from './environment.ts';
import { runTool } from './run-tool.ts';
import { toolRuns } from './runs.ts';
import { replaceToolTable } from './table.ts';

const page = join(import.meta.dirname, '..', '..', 'PROXY.md');
const interruptedExitCode = 130;

const help = `Usage: npm run test:tools [-- --write]

Runs unmodified tools from PyPI through the local proxy, with a gateway and a devnet of its own. Installs pinned packages
into virtual environments under node_modules/.cache. Compares the table of client/PROXY.md with the run.

  --write   Writes the measured table into PROXY.md.

Exit codes: 0 every run passed or there is no Python for the tools, 1 a run failed, 130 interrupted.
`;

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

if (options.help) process.stdout.write(help);
else if (hasPython()) await testAll();
else console.log('Skipped all tools: this machine has no python3 from 3.10 to 3.12 with venv.');

async function testAll(): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort(name));
  const { ready, stop } = await startGatewayProcess(interruption.signal);
  const settled = openSettledPayments(ready.chain.rpcUrl, ready.token.address);
  const payments: number[] = [];
  try {
    for (const run of toolRuns) {
      if (interruption.signal.aborted) break;
      const programs = await installTool(run.tool);
      const result = await runTool(run, programs, ready, settled);
      const units = result.payments.map((each) => `${each} units`).join(', ') || 'nothing';
      console.log(`${run.tool} ${readToolVersion(run.tool)}, ${run.title}: paid ${units}`);
      for (const fault of result.faults) console.error(`  ${fault}`);
      if (result.faults.length > 0) process.exitCode = 1;
      payments.push(result.payments.length);
    }
  } finally {
    settled.close();
    await stop();
  }
  if (interruption.signal.aborted) process.exitCode = interruptedExitCode;
  else checkTable(payments);
}

function checkTable(payments: readonly number[]): void {
  const text = readFileSync(page, 'utf8');
  const wanted = replaceToolTable(text, payments);
  if (wanted === text) return;
  if (options.write) writeFileSync(page, wanted);
  else {
    console.error('PROXY.md has another table. Run npm run test:tools -- --write and commit it.');
    process.exitCode = 1;
  }
}

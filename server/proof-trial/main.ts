import { randomInt } from 'node:crypto';
import { endOnSignals, exitCode, readOptions } from '../testing/command.ts';
import { runTrial, type TrialFindings } from './trial.ts';

const help = `Buys 1,000 completions in batch mode from a gateway that is killed twice during the run. Then checks that the proof
ledger has every proof exactly once, with a path that its contract accepts.

Usage: npm run test:proofs -- [--json]

  --json   print the findings as JSON on standard output, instead of a table
  --help   print this text

Progress goes to standard error. Exit codes: 0 all checks passed, 1 a check failed, 2 invalid usage.`;

const faultsShownMax = 20;

endOnSignals();

const flag = { type: 'boolean', default: false } as const;
const options = readOptions({ json: flag, help: flag });
if (options.help) console.log(help);
else await run(options.json);

async function run(json: boolean): Promise<void> {
  const seed = randomInt(1, 1_000_000);
  const startedAt = performance.now();
  const tell = (line: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6);
    console.error(`${seconds} s  ${line}`);
  };
  const findings = await runTrial({ requests: 1_000, kills: 2, seed, tell });
  console.log(json ? JSON.stringify(findings, null, 2) : formatTable(findings));
  for (const fault of findings.faults.slice(0, faultsShownMax)) console.error(`FALSE: ${fault}`);
  process.exit(findings.faults.length > 0 ? exitCode.failed : 0);
}

function formatTable(findings: TrialFindings): string {
  const { requests, gasPerInference, gasPerInferenceOfFull } = findings;
  const gas = (figure: number | null) => (figure === null ? 'none' : figure.toFixed(0));
  const rows: readonly (readonly [string, number | string])[] = [
    ['paid requests in batch mode', requests],
    ['SIGKILLs during the run', findings.kills],
    ['responses, each with its own proof', findings.answered],
    ['  of them replayed', findings.replayed],
    ['payments settled', findings.settled],
    ['batches on the proof ledger', findings.batches],
    ['leaves in them', findings.leaves],
    ['leaves whose path the contract accepts', findings.accepted],
    ['gas per inference', gas(gasPerInference)],
    ['gas per inference in a batch of 64', gas(gasPerInferenceOfFull)],
    ['seconds', (findings.tookMs / 1_000).toFixed(1)],
    ['verdict', findings.faults.length === 0 ? 'holds' : `FALSE: ${findings.faults.length} faults`],
  ];
  return rows.map(([name, value]) => `${name.padEnd(48)}${String(value).padStart(10)}`).join('\n');
}

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chainId } from '@paid-inference/contract/constants';
import type { Environment } from '../config/environment.ts';
import { readConfig } from '../config/load.ts';
import { settingsTable } from '../config/table.ts';
import { createLog, type Log } from '../observe/log.ts';
import { systemClock } from '../types/clock.ts';
import { keptByNpm, missingDashes } from './npm-options.ts';
import { type RunningGateway, startGateway } from './start.ts';

const help = `Runs the gateway until it is interrupted.

Usage: npm start -- [--config <file>] [--json]

  --config <file>  settings in YAML; gateway.yaml is read where it exists
  --json           write one JSON line to standard output when ready, and nothing else
  --settings       print every setting with its default
  --help           this text

Without a chain in the settings an embedded devnet is started, with a token and a funded payer.
Exit codes: 0 stopped, 1 could not start, 2 wrong usage or settings.`;

/** What the process says of its end. */
const exitCode = { stopped: 0, failed: 1, usage: 2 } as const;
const settingsFile = 'gateway.yaml';

/**
 * The gateway as a process: reads arguments and settings, starts, and says so. Ends the process when it was asked to stop,
 * also while it starts, or when it cannot start.
 */
export async function runGateway(environment: Environment, stop: AbortSignal): Promise<void> {
  const options = readArguments(environment);
  if (options === null) return;
  const file = options.config ?? (existsSync(settingsFile) ? settingsFile : null);
  const { loaded, faults } = readConfig(file, environment);
  if (loaded === null) return giveUp('The settings are wrong:', faults, exitCode.usage);
  if (stop.aborted) process.exit(exitCode.stopped);
  const log = createLog(loaded.config.logLevel);
  let started: Awaited<ReturnType<typeof startGateway>>;
  try {
    started = await startGateway({ ...loaded, faults, environment, log });
  } catch (cause) {
    return giveUp('The gateway cannot start:', [sentenceOf(cause)], exitCode.failed);
  }
  if (!started.ok) {
    const code = faults.length > 0 ? exitCode.usage : exitCode.failed;
    return giveUp('The gateway cannot start:', started.fault, code);
  }
  const gateway = started.value;
  // What a start has opened is closed in order, so that one that is under way is waited for.
  if (stop.aborted) return end(gateway, stop, log);
  stop.addEventListener('abort', () => void end(gateway, stop, log), { once: true });
  console.log(options.json ? JSON.stringify(readyEvent(gateway)) : welcome(gateway));
}

const argumentOptions = {
  config: { type: 'string' },
  json: { type: 'boolean', default: false },
  settings: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function readArguments(environment: Environment): { config?: string; json: boolean } | null {
  const kept = keptByNpm(Object.keys(argumentOptions), 'start', environment);
  if (kept.length > 0) {
    giveUp('Wrong usage:', [`${missingDashes(kept)}: npm start -- ${kept.join(' ')}`], exitCode.usage);
    return null;
  }
  try {
    const { values } = parseArgs({ options: argumentOptions });
    if (!values.help && !values.settings) return values;
    console.log(values.settings ? settingsTable() : help);
  } catch (cause) {
    giveUp('Wrong usage:', [sentenceOf(cause), 'npm start -- --help says what there is'], exitCode.usage);
  }
  return null;
}

async function end(gateway: RunningGateway, { reason }: AbortSignal, log: Log): Promise<void> {
  log.info({ reason }, 'shutting down');
  const startedAt = systemClock.monotonicMs();
  try {
    await gateway.stop();
  } catch (cause) {
    return giveUp('The gateway did not stop cleanly:', [sentenceOf(cause)], exitCode.failed);
  }
  log.info({ reason, ms: Math.round(systemClock.monotonicMs() - startedAt) }, 'stopped');
  process.exit(exitCode.stopped);
}

function giveUp(headline: string, faults: readonly string[], code: number): void {
  console.error([headline, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
  process.exit(code);
}

function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** For the script that started us. */
function readyEvent({ url, chain, ledgerNetwork }: RunningGateway): object {
  const { devnet, asset, tokenName, payTo } = chain;
  return {
    event: 'ready',
    url,
    chain: { id: chainId, rpcUrl: devnet?.rpcUrl ?? null },
    proofLedger: {
      chainId: ledgerNetwork.chainId,
      contract: ledgerNetwork.contract,
      rpcUrl: devnet?.ledger.rpcUrl ?? null,
    },
    token: devnet?.token ?? { address: asset, name: tokenName },
    payTo,
    payer: devnet && { address: devnet.payer.address, keyFile: devnet.payer.keyFile },
  };
}

/** For the person who started us. */
function welcome({ url, chain, ledgerNetwork, modelIds }: RunningGateway): string {
  const { devnet, asset, tokenName, payTo, relayers } = chain;
  const at = url === 'http://127.0.0.1:8402' ? '' : `--url ${url} `;
  const keyFile = devnet?.payer.keyFile;
  const key = keyFile && keyFile !== '.data/devnet/payer.key' ? `--key-file ${keyFile} ` : '';
  const settledBy =
    relayers.length === 0
      ? 'settled through a facilitator'
      : `relayed by ${relayers.map(({ address }) => address).join(', ')}`;
  const contracts = `--ledger ${ledgerNetwork.contract} --token ${asset}`;
  const nodes = devnet && `--ledger-rpc ${devnet.ledger.rpcUrl} --chain-rpc ${devnet.rpcUrl} ${contracts}`;
  return `
  Paid inference gateway    ${url}
  Chain                     eip155:${chainId}${devnet ? `, embedded devnet at ${devnet.rpcUrl}` : ''}
  Token                     ${tokenName} at ${asset}
  Paid to                   ${payTo}, ${settledBy}
  Proofs                    in ${ledgerNetwork.contract} on eip155:${ledgerNetwork.chainId}${devnet ? `, embedded at ${devnet.ledger.rpcUrl}` : ''}
  Models                    ${modelIds.length}, such as ${modelIds[0]}
${devnet ? `  Payer for trying          ${devnet.payer.address}, key in ${keyFile}\n` : ''}
  Buy an answer:            npm run chat -- ${at}${key}"What is 6 times 7?"
${nodes ? `  Check what ran:           buy with --save bought.json, then npm run verify -- bought.json ${nodes} --wait 15\n` : ''}  Test it:                  npm run conformance -- ${url}
  Stop:                     Ctrl-C
`;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { chainId } from '@paid-inference/contract/constants';
import type { Environment } from '../config/environment.ts';
import type { ReadConfig } from '../config/load.ts';
import { presentSettings, settingsAsYaml } from '../config/print.ts';
import { createLog, type Log } from '../observe/log.ts';
import { chooseLogStyle } from '../observe/log-style.ts';
import { systemClock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { readArguments } from './arguments.ts';
import { checkConfig } from './check-config.ts';
import { commands } from './commands.ts';
import { failOutput } from './output.ts';
import { readSettings } from './read-settings.ts';
import { hideKeys, reportFaults } from './report-faults.ts';
import { showConfig } from './show-config.ts';
import type { RunningGateway } from './start.ts';
import { outputFault } from './start-fault.ts';

/** Exit codes for supervisors. */
const exitCode = { stopped: 0, failed: 1, usage: 2 } as const;

type Faults = readonly string[];

/**
 * Runs the gateway as a process: reads arguments, variables and settings, starts, and prints the result. The
 * process ends on a stop signal, also during the start, or when the start fails.
 */
export async function runGateway(variables: Environment, stop: AbortSignal): Promise<void> {
  process.stdout.on('error', failOutput);
  const options = readArguments(variables);
  if (options.kind === 'wrong') return giveUp('Wrong usage:', options.faults, exitCode.usage);
  if (options.kind === 'text') return console.log(options.text);
  const settings = readSettings(variables, options);
  if (!settings.ok) return refuse([settings.fault], options.json && options.kind !== 'run');
  const { read, environment } = settings.value;
  switch (options.kind) {
    case 'check-config':
      return print(checkedText(read, environment, options.json), options.json);
    case 'print-config':
      return print(settingsText(read, options.json), options.json);
    case 'run':
      return run(read, environment, options.json, stop);
  }
}

async function run(
  { loaded, faults }: ReadConfig,
  environment: Environment,
  json: boolean,
  stop: AbortSignal,
): Promise<void> {
  if (loaded === null) return giveUp('The settings are wrong:', faults, exitCode.usage);
  // Only a start needs these modules. Their import takes longer than all other work of `--check-config`.
  const { startGateway } = await import('./start.ts');
  // A signal from the time of the imports arrives in the next turn of the event loop.
  await nextTurn();
  if (stop.aborted) process.exit(exitCode.stopped);
  const style = chooseLogStyle(loaded.logFormat ?? null, process.stderr.isTTY === true, environment);
  const log = createLog(loaded.config.logLevel, style);
  let started: Awaited<ReturnType<typeof startGateway>>;
  try {
    started = await startGateway({ ...loaded, faults, environment, log });
  } catch (cause) {
    return giveUp('The gateway cannot start:', [describeCause(cause)], exitCode.failed);
  }
  if (!started.ok) {
    const code = faults.length > 0 ? exitCode.usage : exitCode.failed;
    return giveUp('The gateway cannot start:', started.fault, code);
  }
  const gateway = started.value;
  // Opened resources are closed in order, so a start in progress ends first.
  if (stop.aborted) return end(gateway, stop.reason, log);
  stop.addEventListener('abort', () => void end(gateway, stop.reason, log), { once: true });
  process.stdout.off('error', failOutput);
  process.stdout.once('error', (cause) => {
    log.error(outputFault(cause));
    void end(gateway, 'no standard output', log, exitCode.failed);
  });
  console.log(json ? JSON.stringify(readyEvent(gateway)) : welcome(gateway));
}

function checkedText(read: ReadConfig, environment: Environment, json: boolean): Result<string, Faults> {
  const checked = checkConfig(read, environment);
  if (!checked.ok) return checked;
  return ok(json ? asJson({ ok: true, ...checked.value }) : showConfig(checked.value));
}

/** Keys are not settings: a missing key stops the start, but not this output. */
function settingsText({ loaded, faults }: ReadConfig, json: boolean): Result<string, Faults> {
  if (loaded === null) return fail(faults);
  return ok(json ? asJson(presentSettings(loaded.config)) : settingsAsYaml(loaded.config).trimEnd());
}

function print(text: Result<string, Faults>, json: boolean): void {
  if (text.ok) console.log(text.value);
  else refuse(text.fault, json);
}

/** A program that requested JSON gets the errors as JSON too. */
function refuse(errors: Faults, json: boolean): void {
  if (json) console.log(asJson({ ok: false, errors: errors.map(hideKeys) }));
  else reportFaults('The settings are wrong:', errors);
  process.exitCode = exitCode.usage;
}

function asJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

async function end(
  gateway: RunningGateway,
  reason: unknown,
  log: Log,
  code: number = exitCode.stopped,
): Promise<void> {
  log.info({ reason }, 'shutting down');
  const startedAt = systemClock.monotonicMs();
  try {
    await gateway.stop();
  } catch (cause) {
    return giveUp('The gateway did not stop cleanly:', [describeCause(cause)], exitCode.failed);
  }
  log.info({ reason, ms: Math.round(systemClock.monotonicMs() - startedAt) }, 'stopped');
  process.exit(code);
}

function giveUp(headline: string, faults: readonly string[], code: number): void {
  reportFaults(headline, faults);
  process.exit(code);
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The line for scripts. */
function readyEvent({ url, adminUrl, chain, ledgerNetwork }: RunningGateway): object {
  const { devnet, asset, tokenName, payTo } = chain;
  return {
    event: 'ready',
    url,
    ...(adminUrl !== null && { adminUrl }),
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

/** The text for a person. */
function welcome({ url, adminUrl, chain, ledgerNetwork, modelIds }: RunningGateway): string {
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
${adminUrl ? `  Metrics                   ${adminUrl}/metrics\n` : ''}${devnet ? `  Test payer                ${devnet.payer.address}, key in ${keyFile}\n` : ''}
  Buy a completion:         ${commands.chat} ${at}${key}"What is 6 times 7?"
${nodes ? `  Verify an inference:      buy with --save bought.json, then ${commands.verify} bought.json ${nodes} --wait 15\n` : ''}  Test it:                  ${commands.conformance} ${url}
  Stop:                     Ctrl-C
`;
}

import { readFileSync } from 'node:fs';
import { hexlify, randomBytes } from 'ethers';
import type { JSONWebKeySet } from 'jose';
import { describeFault } from '../chain-provider.ts';
import type { AttestationTrust } from '../verify/evidence/evidence-case.ts';
import type { TdxCollateral } from '../verify/evidence/tdx-collateral.ts';
import type { Verdict } from '../verify/finding.ts';
import { type Verification, type VerifyOptions, verifyExchange } from '../verify/verify-exchange.ts';
import { readExchangeFile, replaceExchangeFile } from './exchange-file.ts';
import { type CommandOutcome, exitCodes, usageFault } from './outcome.ts';
import type { CommandContext, VerifyCommandOptions } from './settings.ts';
import type { Terminal } from './terminal.ts';
import { visibleLine } from './visible.ts';

/** `verify <file>`: verifies a saved exchange with hashes, signatures and chains, and prints each step. */
export async function verify(
  { terminal, signal }: CommandContext,
  file: string,
  options: VerifyCommandOptions,
): Promise<CommandOutcome> {
  const read = readExchangeFile(file);
  if (!read.ok) return usageFault(read.message);
  const trust = readTrust(options);
  if (typeof trust === 'string') return usageFault(trust);
  const chainRpcUrl = options.chainRpc ?? options.rpc;
  const given: VerifyOptions = {
    attestation: {
      requireHardware: options.requireHardware ?? false,
      measurements: Object.fromEntries(options.measurement ?? []),
      trust,
    },
    waitSeconds: options.wait ?? 0,
    signal,
    ...(options.ledgerRpc !== undefined && { ledgerRpcUrl: options.ledgerRpc }),
    ...(chainRpcUrl !== undefined && { chainRpcUrl }),
    ...(options.gateway !== undefined && { gatewayUrl: options.gateway }),
    ...(options.ledger !== undefined && { ledger: options.ledger }),
    ...(options.token !== undefined && { token: options.token }),
    ...(options.fresh === true && { nonce: hexlify(randomBytes(32)) }),
  };
  const verification = await verifyExchange(read.exchange, given);
  const note = options.keep === true ? replaceExchangeFile(file, verification.exchange) : null;
  return { ...report(verification, terminal), ...(note !== null && { note }) };
}

const marks: Record<Verdict, string> = { true: '✓', false: '✗', unknown: '?' };
const exits = { true: exitCodes.done, false: exitCodes.refused, unknown: exitCodes.unknown } as const;
const nameWidth = 'attestation'.length + 1;

function report({ verdict, steps, ledger }: Verification, { paintOutput: paint }: Terminal): CommandOutcome {
  const colours = { true: paint.green, false: paint.red, unknown: paint.yellow };
  const lines = steps.map(
    (step) =>
      `${colours[step.verdict](marks[step.verdict])} ${step.step.padEnd(nameWidth)} ${visibleLine(step.sentence)}`,
  );
  if (ledger !== null) {
    const whose = ledger.isPinned ? 'named by you' : 'named by the proof; pin it with --ledger';
    lines.push(paint.dim(`  ledger       ${ledger.contract} on chain ${ledger.chainId}, ${whose}`));
  }
  const json = { kind: 'verification', verdict, steps, ledger };
  const open = steps.filter((step) => step.verdict === verdict).map(({ step }) => step);
  const said = { true: null, false: `false: ${open.join(', ')}`, unknown: `unknown: ${open.join(', ')}` }[
    verdict
  ];
  return { exitCode: exits[verdict], json, text: lines.join('\n'), ...(said !== null && { fault: said }) };
}

/** Reads a JSON object. The verifier checks its content and reports faults in it. */
function readObject(file: string): TdxCollateral & JSONWebKeySet {
  const value = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof value !== 'object' || value === null) throw new SyntaxError('not an object');
  return value;
}

/**
 * Reads the trust anchors of the options, which are fetched otherwise. Returns a string with the reason when it
 * fails.
 */
function readTrust({ collateral, jwks }: VerifyCommandOptions): AttestationTrust | string {
  const trust: { -readonly [Name in keyof AttestationTrust]: AttestationTrust[Name] } = {};
  try {
    if (collateral !== undefined) trust.tdxCollateral = readObject(collateral);
    if (jwks !== undefined) trust.tokenKeys = readObject(jwks);
    return trust;
  } catch (error) {
    const why = error instanceof SyntaxError ? 'not a JSON object' : describeFault(error);
    return `the file of --collateral or --jwks cannot be read: ${why}`;
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import qvl from '@phala/dcap-qvl';
import { describeFault } from '../../chain-provider.ts';
import { chainFault } from './certificate-chain.ts';
import { type EvidenceFinding, type HardwareCase, refutes, shows, unreadable } from './evidence-case.ts';
import { collateralFault, intelRoot, readPem, type TdxCollateral } from './tdx-collateral.ts';

/** Timeout for the four documents of Intel's provisioning service. */
const collateralTimeoutMs = 20_000;

/** Intel's states of outdated platforms, which have known attacks. */
const outOfDate: ReadonlySet<string> = new Set(['OutOfDate', 'OutOfDateConfigurationNeeded']);

const registers = {
  MRTD: 'mrTd',
  MRCONFIGID: 'mrConfigId',
  MROWNER: 'mrOwner',
  MROWNERCONFIG: 'mrOwnerConfig',
  RTMR0: 'rtMr0',
  RTMR1: 'rtMr1',
  RTMR2: 'rtMr2',
  RTMR3: 'rtMr3',
} as const;

/**
 * Verifies a quote of Intel TDX, which carries our 64 bytes. `@phala/dcap-qvl` verifies quote, quoting enclave
 * and patch level. Certificate chains and revocation lists are verified here (D-83).
 */
export async function readTdxQuote(given: HardwareCase): Promise<EvidenceFinding> {
  const { evidence, reportData, trust, nowSeconds } = given;
  const quote = parse(evidence);
  const report = quote?.report.asTd10() ?? null;
  if (quote === null || report === null) return refutes('the evidence is not a TDX quote');
  // Checked first, because a quote for another key needs no collateral.
  if (!reportData.equals(report.reportData))
    return refutes('the TDX quote was made for another key, proof ledger or nonce');

  const fetched = await collateralFor(evidence, trust.tdxCollateral);
  if (typeof fetched === 'string')
    return unreadable(`Intel's collateral for this processor is unavailable: ${fetched}`);
  const processor = processorChain(quote, fetched);
  const chain = chainFault(processor, [intelRoot], nowSeconds);
  if (chain !== null) return refutes(`the TDX quote is invalid: ${chain}`);
  const stale = attempt(() => collateralFault(fetched, processor, nowSeconds));
  if (!stale.ok || stale.value !== null) {
    return unreadable(
      `the collateral of the TDX quote is invalid or out of date: ${stale.ok ? stale.value : stale.fault}`,
    );
  }

  const verified = attempt(() => new qvl.QuoteVerifier().verify(evidence, fetched, nowSeconds));
  if (!verified.ok) return refutes(`the TDX quote is invalid: ${verified.fault}`);
  const { status, advisory_ids: advisories } = verified.value;
  const platform = platformFault(status, advisories, report);
  if (platform !== null) return refutes(platform);
  const measurements = Object.fromEntries(
    Object.entries(registers).map(([name, field]) => [name, Buffer.from(report[field]).toString('hex')]),
  );
  return shows(`Intel attests a trust domain with this key (its platform is ${status})`, true, measurements);
}

/** The reason why the platform of a valid quote is not trusted; null when it is. */
export function platformFault(
  status: string,
  advisories: readonly string[],
  module: { readonly mrSignerSeam: Uint8Array; readonly seamAttributes: Uint8Array },
): string | null {
  if (outOfDate.has(status)) return `the TDX platform is ${status} (${advisories.join(', ')})`;
  // Only Intel's own module has no signer here.
  return isZero(module.mrSignerSeam) && isZero(module.seamAttributes)
    ? null
    : "the TDX module is not Intel's";
}

function parse(evidence: Buffer): qvl.Quote | null {
  const parsed = attempt(() => qvl.Quote.parse(evidence));
  return parsed.ok && !parsed.value.header.isSgx() ? parsed.value : null;
}

/** Returns the given collateral or fetches it. Returns a string with the reason when it fails. */
async function collateralFor(
  evidence: Buffer,
  given: TdxCollateral | undefined,
): Promise<TdxCollateral | string> {
  if (given !== undefined) return given;
  const late = new AbortController();
  try {
    const patience = wait(collateralTimeoutMs, 'no response in time', { signal: late.signal });
    return await Promise.race([qvl.getCollateralFromPcs(evidence), patience]);
  } catch (error) {
    return describeFault(error);
  } finally {
    late.abort();
  }
}

/**
 * The processor's chain, from the collateral if it has one: a quote may name the certificate without containing
 * it.
 */
function processorChain(quote: qvl.Quote, collateral: TdxCollateral & { pck_certificate_chain?: unknown }) {
  const named = collateral.pck_certificate_chain;
  const read = attempt(() =>
    readPem(
      typeof named === 'string'
        ? named
        : Buffer.from(quote.authData.intoV3().certificationData.body).toString(),
    ),
  );
  return read.ok ? read.value : [];
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

/** Catches the errors of the verifier, which throws every finding. */
function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, fault: error instanceof Error ? error.message : 'no reason given' };
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

import type { Clock } from '../types/clock.ts';
import type { Rpc } from './rpc.ts';

/** How far the time of the newest block may be from the gateway's clock while the gateway sells (D-166). */
export type HeadTimeLimits = {
  /** Null for a chain that makes blocks only with transactions. */
  readonly ageMaxSeconds: number | null;
  readonly aheadMaxSeconds: number;
};

/** The settings that decide the limits. `chain` is undefined for the chain that the gateway starts itself. */
export type HeadTimeSettings = {
  readonly offerValiditySeconds: number;
  readonly settlementMarginSeconds: number;
  readonly inferenceTimeoutMs: number;
  readonly chainHeadAgeMaxSeconds?: number | null | undefined;
  readonly chain?: unknown;
};

const ageMaxSecondsUsual = 60;
const probeMs = 5_000;
/** These nodes make blocks only with transactions, unless configured otherwise. */
const developmentNodes = /^(anvil|hardhat|ganache)/i;

/** Returns why the time of the newest block stops new payments, as a sentence for the operator; else null. */
export function headTimeIssue(seconds: bigint, clock: Clock, limits: HeadTimeLimits): string | null {
  const { ageMaxSeconds, aheadMaxSeconds } = limits;
  const age = BigInt(clock.nowSeconds()) - seconds;
  if (ageMaxSeconds !== null && age > BigInt(ageMaxSeconds))
    return `the newest block is ${age} s old, and advanced.chainHeadAgeMaxSeconds is ${ageMaxSeconds}: check the chain, its RPC endpoint, and the clock of this machine`;
  if (-age > BigInt(aheadMaxSeconds))
    return `the newest block is ${-age} s ahead of the clock of this machine, and ${aheadMaxSeconds} s are the most: check that clock, and the chain`;
  return null;
}

/**
 * Returns the limits of a deployment. A payment signed for the whole time of an offer must still be valid on
 * the chain when inference has used all its time.
 */
export async function headTimeLimits(settings: HeadTimeSettings, rpc: Rpc): Promise<HeadTimeLimits> {
  const { offerValiditySeconds, settlementMarginSeconds, inferenceTimeoutMs } = settings;
  const spare = offerValiditySeconds - settlementMarginSeconds - Math.ceil(inferenceTimeoutMs / 1_000);
  const usual = async () =>
    settings.chain === undefined || (await isDevelopmentNode(rpc)) ? null : ageMaxSecondsUsual;
  const { chainHeadAgeMaxSeconds: ageMaxSeconds = await usual() } = settings;
  return { ageMaxSeconds, aheadMaxSeconds: Math.max(spare, settlementMarginSeconds) };
}

async function isDevelopmentNode(rpc: Rpc): Promise<boolean> {
  const version = await rpc.call<unknown>('web3_clientVersion', [], { timeoutMs: probeMs });
  return version.ok && typeof version.value === 'string' && developmentNodes.test(version.value);
}

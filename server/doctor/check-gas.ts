import { headTimeLimits } from '../chain/head-time.ts';
import { batchCallsMax } from '../chain/transfer-batch.ts';
import { createMemoryLog } from '../observe/memory-log.ts';
import { currentFees } from '../relayer/fees.ts';
import { createGasBalance } from '../relayer/gas-balance.ts';
import type { Relayer } from '../relayer/nonce.ts';
import type { OpenChain } from '../start/open-chain.ts';
import { convertFees } from '../start/open-settlement.ts';
import { count } from '../types/count.ts';
import type { RealDeployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Reads the ether of each relayer, and how many payments it covers. One relayer with ether is enough to sell. */
export async function checkGas(deployment: RealDeployment, chain: OpenChain): Promise<readonly Finding[]> {
  const found = await Promise.all(chain.relayers.map((relayer) => checkRelayer(relayer, deployment, chain)));
  const isSelling = found.some(({ status }) => status !== 'failed');
  return found.map((each) => (isSelling && each.status === 'failed' ? warning('gas', each.text) : each));
}

async function checkRelayer(
  relayer: Relayer,
  { loaded: { config }, clock }: RealDeployment,
  { rpc }: OpenChain,
): Promise<Finding> {
  const fees = convertFees(config);
  // The check of the clock reports the age of the newest block.
  const headTime = { ...(await headTimeLimits(config, rpc)), ageMaxSeconds: null };
  const { log } = createMemoryLog();
  const gas = createGasBalance({ rpc, relayer, fees, headTime, clock, log });
  const [issue, wei, price] = await Promise.all([gas.healthIssue(), gas.read(), currentFees(rpc, fees)]);
  const { address } = relayer;
  if (!wei.ok || !price.ok) return failed('gas', issue ?? `the gas of the relayer ${address} cannot be read`);
  const payments = gas.room(wei.value, price.value);
  const text = `The relayer ${address} has ${formatEther(wei.value)} ether`;
  if (payments === 0) return failed('gas', `${text}, too little for a payment. Send ether to it`);
  if (issue !== null) return failed('gas', issue);
  const covered = `${text}, enough for at least ${count(payments, 'payment')} at the present price of gas`;
  return payments < batchCallsMax ? warning('gas', `${covered}. Send ether to it soon`) : ok('gas', covered);
}

const weiPerEther = 10n ** 18n;
const shownDecimals = 6;

/** Formats an amount of ether, rounded down. */
export function formatEther(wei: bigint): string {
  const decimals = (wei % weiPerEther).toString().padStart(18, '0').slice(0, shownDecimals);
  return `${wei / weiPerEther}.${decimals}`;
}

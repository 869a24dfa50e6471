import { chainId, network } from '@paid-inference/contract/constants';
import type { CatalogModel } from '@paid-inference/contract/types';
import type { Rpc } from '../chain/rpc.ts';
import type { SumsSince } from '../store/reader.ts';
import type { Clock } from '../types/clock.ts';
import { chargedStates } from '../types/payment-states.ts';
import { type Address, type UnixSeconds, unixSeconds } from '../types/units.ts';

/** The settled payments that were reserved within the last hours. */
type SettledCount = {
  readonly payments: number;
  /** Whether there may be more, because the reading stopped at its limit. */
  readonly isAtLeast: boolean;
  readonly hours: number;
};

/** The facts of a gateway that its page shows. Nothing in them names a payer. */
export type SiteFacts = {
  readonly gateway: string;
  readonly version: string;
  readonly network: string;
  readonly chainId: number;
  readonly token: {
    readonly address: Address;
    readonly name: string;
    /** Null while the chain has not told them. */
    readonly decimals: number | null;
  };
  readonly payTo: Address;
  readonly settledBy: 'relayers' | 'facilitator';
  readonly proofLedger: { readonly chainId: number; readonly contract: Address };
  readonly attestation: { readonly provider: string; readonly hardware: boolean };
  readonly models: readonly CatalogModel[];
  /** Null while the store cannot be read. */
  readonly settled: SettledCount | null;
  /** The payer of the devnet, which the page may use; null on a real chain. */
  readonly devnetPayer: Address | null;
};

/** The facts that do not change while a gateway runs. */
export type FixedFacts = Omit<SiteFacts, 'network' | 'chainId' | 'token' | 'settled'> & {
  readonly token: { readonly address: Address; readonly name: string };
};

/** Sums the payments since a time, among the newest ones up to a limit. Null without a store. */
type ReadSums = (since: UnixSeconds, readMax: number) => Promise<SumsSince | null>;

const hours = 24;
/** A count reads the payments of a day. It stops here, so that it stays short on a busy gateway. */
const readMax = 20_000;
/** How long the page shows what it read, so that visitors do not read store and chain again and again. */
const ageSecondsMax = 60;

type Changing = Pick<SiteFacts, 'settled' | 'token'>;

/** Reads the facts for the page. The number of settled payments may be a minute old. */
export function createFacts(
  fixed: FixedFacts,
  { rpc, readSums, clock }: { readonly rpc: Rpc; readonly readSums: ReadSums; readonly clock: Clock },
): () => Promise<SiteFacts> {
  let decimals: number | null = null;
  let read: { readonly at: UnixSeconds; readonly changing: Promise<Changing> } | null = null;

  async function readDecimals(): Promise<void> {
    const result = await rpc.call<unknown>('eth_call', [
      { to: fixed.token.address, data: decimalsCall },
      'latest',
    ]);
    const found = result.ok && /^0x[0-9a-f]{64}$/i.test(String(result.value)) ? Number(result.value) : null;
    if (found !== null && found <= decimalsMax) decimals = found;
  }

  async function countDay(now: UnixSeconds): Promise<SettledCount | null> {
    const since = unixSeconds(Math.max(0, now - hours * 3_600));
    const read = await readSums(since, readMax).catch(() => null);
    if (read === null) return null;
    const payments = chargedStates.reduce((sum, state) => sum + (read.sums.get(state)?.payments ?? 0), 0);
    return { payments, isAtLeast: read.isAtLeast, hours };
  }

  async function readChanging(now: UnixSeconds): Promise<Changing> {
    const [settled] = await Promise.all([countDay(now), decimals === null ? readDecimals() : null]);
    return { settled, token: { ...fixed.token, decimals } };
  }

  return async () => {
    const now = clock.nowSeconds();
    if (read === null || now < read.at || now - read.at > ageSecondsMax)
      read = { at: now, changing: readChanging(now) };
    return { ...fixed, network, chainId, ...(await read.changing) };
  };
}

/** `decimals()` of ERC-20, which is a uint8. */
const decimalsCall = '0x313ce567';
const decimalsMax = 255;

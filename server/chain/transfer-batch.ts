import artifact from '../contracts/artifacts/TransferBatch.json' with { type: 'json' };
import type { Address, Hex } from '../types/units.ts';
import { addressWord, uint256Word } from './word.ts';

/** Gas of each call in a batch: about twice what the reference token needs, for tokens behind a proxy. */
export const callGas = 120_000n;
/** Most calls of a batch. Two limits of a chain are near: 16.7 million gas (EIP-7825), 49,152 bytes (EIP-3860). */
export const batchCallsMax = 100;

/** What a batch costs besides its calls: a transaction that creates a contract, and what the last call must find left. */
const batchGas = 110_000n;
/** What one call costs besides its own gas: its calldata, and the loop. */
const gasAroundCall = 6_000n;
/** Calldata of one call; shorter calldata is padded, which a token ignores. */
const callBytes = 292;

/**
 * Gas is always named and never estimated: a batch succeeds although a call in it ran out of gas, so an estimate would be
 * too low.
 */
export function batchGasLimit(calls: number): bigint {
  return batchGas + (callGas + gasAroundCall) * BigInt(calls);
}

/** Creation code that makes these calls to the token, each with `callGas`. It is sent without a recipient. */
export function transferBatch(token: Address, calls: readonly Hex[], use: 'send' | 'simulate'): Hex {
  if (calls.length > batchCallsMax) throw new Error(`a batch of ${calls.length} calls`);
  const packed = calls.map(paddedCall).join('');
  const reports = use === 'simulate' ? 1n : 0n;
  const head = `${addressWord(token)}${uint256Word(callGas)}${uint256Word(reports)}${bytesAt}`;
  const length = uint256Word(BigInt(packed.length / 2));
  const rest = (wordDigits - (packed.length % wordDigits)) % wordDigits;
  return `${artifact.bytecode}${head}${length}${packed}${'0'.repeat(rest)}` as Hex;
}

const wordDigits = 64;
const bytesAt = uint256Word(0x80n);

function paddedCall(data: Hex): string {
  const digits = data.slice(2);
  if (digits.length > callBytes * 2) throw new Error(`a call of ${digits.length / 2} bytes`);
  return digits.padEnd(callBytes * 2, '0');
}

/** What a simulated batch reports: the time of its block, and whether each call succeeded. */
export type BatchReport = { readonly seconds: bigint; readonly succeeded: readonly boolean[] };

/** Reads the result of a simulated batch; null for anything else. */
export function parseBatchReport(result: unknown, calls: number): BatchReport | null {
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64}(0[01])*$/i.test(result)) return null;
  const flags = result.slice(2 + wordDigits).match(/../g) ?? [];
  if (flags.length !== calls) return null;
  const seconds = BigInt(result.slice(0, 2 + wordDigits));
  return { seconds, succeeded: flags.map((flag) => flag === '01') };
}

/** Of a payment that is alone, as much as a call in a batch has, and the transaction's own. */
export const singleGas = 150_000n;

/**
 * How many payments a transaction may carry for so much ether, in wei, at that price for a unit of gas: nodes take none
 * whose whole gas limit could not be paid for.
 */
export function paymentsWithin(wei: bigint, maxFeePerGas: bigint): number {
  if (wei < singleGas * maxFeePerGas) return 0;
  if (maxFeePerGas === 0n) return Number.MAX_SAFE_INTEGER;
  const base = batchGasLimit(0);
  const inBatch = (wei / maxFeePerGas - base) / (batchGasLimit(1) - base);
  return inBatch > 1n ? Number(inBatch) : 1;
}

import artifact from '../contracts/artifacts/TransferBatch.json' with { type: 'json' };
import type { Address, Hex } from '../types/units.ts';
import { addressWord, uint256Word } from './word.ts';

/** Gas of each call in a batch: about twice what the reference token needs, for tokens behind a proxy. */
export const callGas = 120_000n;
/**
 * Most calls of a batch, below two limits of a chain: 16.7 million gas (EIP-7825) and 49,152 bytes (EIP-3860).
 */
export const batchCallsMax = 100;

/** Gas of a batch besides its calls: a transaction that creates a contract, and a reserve for the last call. */
const batchGas = 110_000n;
/** Gas of one call besides its own: its calldata, and the loop. */
const gasAroundCall = 6_000n;
/** Calldata of a call with the signature of a key. */
const callBytes = 292;
/** Gas of each further byte of a call: 16 as calldata, and the rest as code and memory. */
const gasPerExtraByte = 20n;
/** The bytes that hold the length of a call. */
const lengthBytes = 2;

/**
 * Returns the gas limit of a batch. It is fixed and never estimated: a batch succeeds even if a call in it runs
 * out of gas, so an estimate would be too low. `extraGas` is that of `countExtraGas`.
 */
export function batchGasLimit(calls: number, extraGas = 0n): bigint {
  return batchGas + (callGas + gasAroundCall) * BigInt(calls) + extraGas;
}

/** Returns the gas of the bytes by which calls are longer than a call with the signature of a key. */
export function countExtraGas(calls: readonly Hex[]): bigint {
  const extraBytes = calls.map((call) => Math.max(0, call.length / 2 - 1 - callBytes));
  return gasPerExtraByte * BigInt(extraBytes.reduce((sum, bytes) => sum + bytes, 0));
}

/**
 * Builds creation code that makes these calls to the token, each with `callGas`. It is sent without a
 * recipient. Throws for more than `batchCallsMax` calls.
 */
export function transferBatch(token: Address, calls: readonly Hex[], use: 'send' | 'simulate'): Hex {
  if (calls.length > batchCallsMax)
    throw new Error(`a batch of ${calls.length} calls, and ${batchCallsMax} are the most`);
  const packed = calls.map(measuredCall).join('');
  const reports = use === 'simulate' ? 1n : 0n;
  const head = `${addressWord(token)}${uint256Word(callGas)}${uint256Word(reports)}${bytesAt}`;
  const length = uint256Word(BigInt(packed.length / 2));
  const rest = (wordDigits - (packed.length % wordDigits)) % wordDigits;
  return `${artifact.bytecode}${head}${length}${packed}${'0'.repeat(rest)}` as Hex;
}

const wordDigits = 64;
const bytesAt = uint256Word(0x80n);

/** Encodes a call after its length. */
function measuredCall(data: Hex): string {
  const digits = data.slice(2);
  const length = (digits.length / 2).toString(16).padStart(lengthBytes * 2, '0');
  if (length.length > lengthBytes * 2)
    throw new Error(`a call of ${digits.length / 2} bytes, and 65535 are the most`);
  return `${length}${digits}`;
}

/**
 * Most bytes of the calls of contract wallets in a batch. With these, a batch of the most calls is below the limit
 * of 49,152 bytes, and the payments of keys always find their places (D-293).
 */
export const walletCallsBytesMax = 19_000;

/** The report of a simulated batch: the time of its block, and whether each call succeeded. */
export type BatchReport = { readonly seconds: bigint; readonly succeeded: readonly boolean[] };

/** Decodes the result of a simulated batch; null for anything else. */
export function parseBatchReport(result: unknown, calls: number): BatchReport | null {
  if (typeof result !== 'string' || !/^0x[0-9a-f]{64}(0[01])*$/i.test(result)) return null;
  const flags = result.slice(2 + wordDigits).match(/../g) ?? [];
  if (flags.length !== calls) return null;
  const seconds = BigInt(result.slice(0, 2 + wordDigits));
  return { seconds, succeeded: flags.map((flag) => flag === '01') };
}

/** Gas of a payment in a transaction of its own: the gas of a call in a batch, and that of the transaction. */
export const singleGas = 150_000n;

/**
 * Returns how many payments one transaction may carry for `wei` at that price of a unit of gas. Nodes reject a
 * transaction if the sender cannot pay for its whole gas limit.
 */
export function paymentsWithin(wei: bigint, maxFeePerGas: bigint): number {
  if (wei < singleGas * maxFeePerGas) return 0;
  if (maxFeePerGas === 0n) return Number.MAX_SAFE_INTEGER;
  const base = batchGasLimit(0);
  const inBatch = (wei / maxFeePerGas - base) / (batchGasLimit(1) - base);
  return inBatch > 1n ? Number(inBatch) : 1;
}

import { chainId } from '@paid-inference/contract/constants';
import { z } from 'zod';
import { parseChecksummedAddress } from '../chain/curve.ts';
import { multicallAddress } from '../chain/multicall.ts';
import { parseAddress } from '../types/units.ts';
import { milliseconds } from './numbers.ts';
import { rpcUrls } from './rpc-urls.ts';

// YAML reads an address without quotes as a number, which loses digits.
const address = z
  .string({ error: 'must be text; in a file, put the address in quotes' })
  .transform((text, context) => {
    const parsed = parseAddress(text);
    const fault = parsed === null ? 'must be a 0x-prefixed address of 20 bytes' : addressFault(text);
    if (parsed !== null && fault === null) return parsed;
    context.addIssue({ code: 'custom', message: fault ?? '' });
    return z.NEVER;
  });

/** The first 65,536 addresses are reserved for the chain (EIP-1352). */
const reserved = /^0x0{36}[0-9a-f]{4}$/i;

/** Programs write the first of these for ether, and the second for no account. */
const placeholder = /^0x(e{40}|f{40})$/i;

/** Mixed case is a checksum (EIP-55). A wrong checksum means a mistyped character. */
function addressFault(text: string): string | null {
  if (/^0x0{40}$/.test(text)) return 'is the zero address, which nobody owns; set it to a real one';
  if (placeholder.test(text)) return `is ${text}, a placeholder without an owner; set it to a real one`;
  if (reserved.test(text)) return `is ${text}, which is reserved for a precompile; set it to a real one`;
  if (parseChecksummedAddress(text) !== null) return null;
  return `is ${text}, whose checksum does not hold: a character is wrong. Copy the address again.`;
}

/** Tokens sent to such a contract are lost, or the token rejects every payment after inference (D-145). */
export function tokensLost(owner: string): string {
  return `is the address of ${owner}, and tokens sent there are lost; set it to an account of yours`;
}

/** Settles on a real chain. Without it the gateway starts a devnet. */
export const chain = z.strictObject({
  /** JSON-RPC endpoints of one chain. */
  rpcUrl: rpcUrls,
  /** The payment token. */
  asset: address,
  /** The token's EIP-712 domain name. */
  tokenName: z.string().min(1).max(200, 'must have at most 200 characters'),
  /** The recipient of the payments. */
  payTo: address.refine((payee) => payee !== multicallAddress, tokensLost('Multicall3')),
});

/** Settles through a facilitator, without a relayer key (D-55). */
export const facilitator = z.strictObject({
  /** Without `/verify` at the end. A key in the URL never gets into a log. */
  url: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  /** By default the version that the facilitator supports, and 2 if it supports both (D-57). */
  x402Version: z.union([z.literal(1), z.literal(2)], 'must be 1 or 2').optional(),
  /**
   * The deadline of `/verify` and of `/supported`. Both together must fit into the spare time of a reservation.
   */
  verifyTimeoutMs: z.int().min(1).max(7_000).default(5_000),
  /** The deadline of `/settle`. Many facilitators respond only when the transfer is in a block. */
  settleTimeoutMs: milliseconds.default(30_000),
  /** Concurrent calls of `/settle`. One payer gets at most half of them. */
  settlementsMax: z.int().min(1).max(256).default(16),
  /** How often the facilitator may refuse a payment that looks valid on the chain. */
  attemptsMax: z.int().min(1).max(100).default(6),
  /** The first pause before the next attempt; it doubles. */
  retryMs: milliseconds.default(1_000),
  /** The longest pause. */
  retryMsMax: milliseconds.default(30_000),
});

/** Records proofs on a second chain. The devnet has its own proof ledger; a real chain needs this setting. */
export const proofLedger = z.strictObject({
  /** The JSON-RPC endpoint. A key in the URL never gets into a log. */
  rpcUrl: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  chainId: z
    .int()
    .min(1)
    .refine((id) => id !== chainId, 'must be another chain than the chain of the payments'),
  /** The contract of the proof ledger. */
  contract: address,
});

import { chainId } from '@paid-inference/contract/constants';
import { isAddress } from 'ethers';
import { z } from 'zod';
import { multicallAddress } from '../chain/multicall.ts';
import { parseAddress } from '../types/units.ts';
import { milliseconds } from './numbers.ts';
import { rpcUrls } from './rpc-urls.ts';

// YAML reads an address without quotes as one enormous number, whose digits are gone for good.
const address = z
  .string({ error: 'must be text; in a file, put the address in quotes' })
  .transform((text, context) => {
    const parsed = parseAddress(text);
    const fault = parsed === null ? 'must be a 0x-prefixed address of 20 bytes' : addressFault(text);
    if (parsed !== null && fault === null) return parsed;
    context.addIssue({ code: 'custom', message: fault ?? '' });
    return z.NEVER;
  });

/** The first 65,536 addresses belong to the chain itself (EIP-1352). */
const reserved = /^0x0{36}[0-9a-f]{4}$/i;

/** Mixed case is a checksum (EIP-55): where it does not hold, a character was mistyped. */
function addressFault(text: string): string | null {
  if (/^0x0{40}$/.test(text)) return 'is the zero address, which nobody owns; set it to a real one';
  if (reserved.test(text)) return `is ${text}, which is reserved for a precompile; set it to a real one`;
  if (isAddress(text)) return null;
  return `is ${text}, whose checksum does not hold: a character is wrong. Copy the address again.`;
}

/** Settles on a real chain. Without it the gateway starts a devnet of its own. */
export const chain = z
  .strictObject({
    /** JSON-RPC endpoints of the one chain. */
    rpcUrl: rpcUrls,
    /** The payment token. */
    asset: address,
    /** The token's EIP-712 domain name. */
    tokenName: z.string().min(1),
    /** Where payments go. */
    payTo: address,
  })
  // The token takes the first payment and nobody gets it, or it refuses every one after inference (D-145).
  .superRefine(({ asset, payTo }, context) => {
    const owner = payTo === asset ? 'the token' : payTo === multicallAddress ? 'Multicall3' : null;
    if (owner === null) return;
    const message = `is the address of ${owner}, and tokens sent there are lost; set it to an account of yours`;
    context.addIssue({ code: 'custom', path: ['payTo'], message });
  });

/** Settles through somebody else, with no relayer key of our own (D-55). */
export const facilitator = z.strictObject({
  /** Up to and without `/verify`; a key in it is kept out of every log. */
  url: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  /** By default what the facilitator offers, and 2 where it offers both (D-57). */
  x402Version: z.union([z.literal(1), z.literal(2)]).optional(),
  /** How long `/verify` and `/supported` may take. Both together must fit into what a reservation has to spare. */
  verifyTimeoutMs: z.int().min(1).max(7_000).default(5_000),
  /** How long `/settle` may take, which for many a facilitator is until the transfer is in a block. */
  settleTimeoutMs: milliseconds.default(30_000),
  /** Payments that the facilitator is asked to settle at once; one payer has half of them at the most. */
  settlementsMax: z.int().min(1).max(256).default(16),
  /** Times that the facilitator may refuse a payment that nothing on the chain speaks against. */
  attemptsMax: z.int().min(1).max(100).default(6),
  /** First pause before it is asked again; it doubles, */
  retryMs: milliseconds.default(1_000),
  /** up to this. */
  retryMsMax: milliseconds.default(30_000),
});

/** Records proofs on a ledger network of one's own. The devnet has one; a real chain has none. */
export const proofLedger = z.strictObject({
  /** JSON-RPC endpoint; a key in it is kept out of every log. */
  rpcUrl: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  chainId: z
    .int()
    .min(1)
    .refine((id) => id !== chainId, 'must be another chain than that of the payments'),
  /** The inference ledger. */
  contract: address,
});

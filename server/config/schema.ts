import { z } from 'zod';
import { parseAddress } from '../vocabulary/units.ts';

const milliseconds = z.int().min(1).max(3_600_000);
const seconds = z.int().min(1).max(86_400);
const address = z.string().transform((text, context) => {
  const parsed = parseAddress(text);
  if (parsed !== null) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a 0x-prefixed address of 20 bytes' });
  return z.NEVER;
});
const rateLimit = z.strictObject({ requestsMax: z.int().min(1), windowSeconds: seconds }).nullable();

/** Settles on a real chain. Without it the gateway starts a devnet of its own. */
const chain = z.strictObject({
  /** JSON-RPC endpoint; a key in it is kept out of every log. */
  rpcUrl: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  /** The payment token. */
  asset: address,
  /** The token's EIP-712 domain name. */
  tokenName: z.string().min(1),
  /** Where payments go. */
  payTo: address,
});

/** Every setting of the gateway, its unit in its name, its default beside it. */
export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  /** 0 takes a free port. */
  port: z.int().min(0).max(65_535).default(8402),
  /** What clients reach the gateway by; offers name it. Default: the address that it listens on. */
  publicBaseUrl: z
    .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  chain: chain.optional(),
  /** Folder of the embedded devnet: the payer's key for the client, and the ledger. */
  devnetFolder: z.string().min(1).default('.data/devnet'),
  /** Seconds between blocks of the embedded devnet; 0 mines at once. */
  devnetBlockTimeSeconds: z.int().min(0).max(60).default(0),
  catalogFile: z.string().min(1).optional(),
  /** The ledger of a real chain; the devnet's is in its folder. */
  databaseFile: z.string().min(1).default('.data/gateway.db'),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Origin for browsers: `*`, one origin, or null for none. */
  corsAllowOrigin: z.string().min(1).nullable().default('*'),
  /** Seconds that an offer stays valid. */
  offerValiditySeconds: seconds.default(300),
  inferenceTimeoutMs: milliseconds.default(60_000),
  /** How long a caller waits for the chain before the answer is `settlement_pending`. */
  settlementWaitMs: milliseconds.default(20_000),
  /** What an authorization must still be valid for when inference has taken all its time. */
  settlementMarginSeconds: seconds.default(30),
  concurrentInferencesMax: z.int().min(1).max(100_000).default(1_024),
  bodyBytesMax: z
    .int()
    .min(1_024)
    .max(64 * 1_048_576)
    .default(1_048_576),
  bodyTimeoutMs: milliseconds.default(15_000),
  headersTimeoutMs: milliseconds.default(10_000),
  jsonDepthMax: z.int().min(8).max(1_000).default(100),
  paymentHeaderBytesMax: z.int().min(1_024).max(16_384).default(8_192),
  messagesMax: z.int().min(1).default(1_024),
  toolsMax: z.int().min(1).default(128),
  /** Requests of one client address, before the payer is known; null for no limit. */
  addressRateLimit: rateLimit.default({ requestsMax: 1_200, windowSeconds: 60 }),
  /** Requests of one payer, once its signature is proven; null for no limit. */
  payerRateLimit: rateLimit.default({ requestsMax: 600, windowSeconds: 60 }),
  rpcTimeoutMs: milliseconds.default(10_000),
  rpcAnswerBytesMax: z
    .int()
    .min(65_536)
    .default(4 * 1_048_576),
  balanceAgeMaxSeconds: z.int().min(0).max(60).default(2),
  receiptPollMs: milliseconds.default(10),
  receiptPollMsMax: milliseconds.default(1_000),
  feeGweiMax: z.number().positive().default(50),
  priorityFeeGwei: z.number().min(0).default(0.01),
  databaseBusyTimeoutMs: milliseconds.default(5_000),
  upstreamConnectTimeoutMs: milliseconds.default(3_000),
  upstreamHeadersTimeoutMs: milliseconds.default(60_000),
  upstreamAnswerBytesMax: z
    .int()
    .min(65_536)
    .default(8 * 1_048_576),
  upstreamConnections: z.int().min(1).max(1_024).default(64),
  /** How long work under way may take to end when the gateway is told to stop. */
  shutdownTimeoutMs: milliseconds.default(30_000),
});

export type Config = Readonly<z.infer<typeof configSchema>>;

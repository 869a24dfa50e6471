import { chainId } from '@paid-inference/contract/constants';
import { z } from 'zod';
import { parseAddress } from '../vocabulary/units.ts';
import { attestation } from './attestation.ts';
import { httpLimits } from './http-limits.ts';
import { rpcUrls } from './rpc-urls.ts';

const milliseconds = z.int().min(1).max(3_600_000);
const seconds = z.int().min(1).max(86_400);
// YAML reads an address without quotes as one enormous number, whose digits are gone for good.
const address = z
  .string({ error: 'must be text; in a file, put the address in quotes' })
  .transform((text, context) => {
    const parsed = parseAddress(text);
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: 'must be a 0x-prefixed address of 20 bytes' });
    return z.NEVER;
  });
const rateLimit = z.strictObject({ requestsMax: z.int().min(1), windowSeconds: seconds }).nullable();

/** Settles on a real chain. Without it the gateway starts a devnet of its own. */
const chain = z.strictObject({
  /** JSON-RPC endpoints of the one chain. */
  rpcUrl: rpcUrls,
  /** The payment token. */
  asset: address,
  /** The token's EIP-712 domain name. */
  tokenName: z.string().min(1),
  /** Where payments go. */
  payTo: address,
});

/** Settles through somebody else, with no relayer key of our own (D-55). */
const facilitator = z.strictObject({
  /** Up to and without `/verify`; a key in it is kept out of every log. */
  url: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  /** By default what the facilitator offers, and 2 where it offers both (D-57). */
  x402Version: z.union([z.literal(1), z.literal(2)]).optional(),
  /** How long `/verify` and `/supported` may take. Both together must fit into what a reservation has to spare. */
  verifyTimeoutMs: z.int().min(1).max(7_000).default(5_000),
  /** How long `/settle` may take, which for many a facilitator is until the transfer is in a block. */
  settleTimeoutMs: milliseconds.default(30_000),
  /** Payments that the facilitator is asked to settle at once. */
  settlementsMax: z.int().min(1).max(256).default(16),
  /** Times that the facilitator may refuse a payment that nothing on the chain speaks against. */
  attemptsMax: z.int().min(1).max(100).default(6),
  /** First pause before it is asked again; it doubles, */
  retryMs: milliseconds.default(1_000),
  /** up to this. */
  retryMsMax: milliseconds.default(30_000),
});

/** Records proofs on a ledger network of one's own. The devnet has one; a real chain has none. */
const proofLedger = z.strictObject({
  /** JSON-RPC endpoint; a key in it is kept out of every log. */
  rpcUrl: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  chainId: z
    .int()
    .min(1)
    .refine((id) => id !== chainId, 'must be another chain than that of the payments'),
  /** The inference ledger. */
  contract: address,
});

/** Addresses to listen on that are no address to call. */
const wildcards = ['0.0.0.0', '::', '[::]'];

/** Every setting of the gateway, its unit in its name, its default beside it. */
export const configSchema = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
    port: z.int().min(0).max(65_535).default(8402).describe('Port to listen on; 0 takes a free one'),
    publicBaseUrl: z
      .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional()
      .describe(
        'What clients reach the gateway by, named in every offer; by default the address that it listens on',
      ),
    trustedProxies: z
      .int()
      .min(0)
      .max(16)
      .default(0)
      .describe('Proxies in front that append to `X-Forwarded-For`; with 0 that header is ignored'),
    chain: chain.optional().describe('The real chain to settle on; without it an embedded devnet is started'),
    facilitator: facilitator
      .optional()
      .describe('The x402 facilitator to settle a real chain through; without it a relayer key settles'),
    proofLedger: proofLedger
      .optional()
      .describe(
        'The ledger network that proofs are recorded on; a `chain` needs one, the devnet has its own',
      ),
    devnetFolder: z
      .string()
      .min(1)
      .default('.data/devnet')
      .describe("Folder of the embedded devnet: the payer's key for the client, and the ledger"),
    devnetBlockTimeSeconds: z
      .int()
      .min(0)
      .max(60)
      .default(0)
      .describe('Seconds between blocks of the embedded devnet; 0 mines at once'),
    catalogFile: z
      .string()
      .min(1)
      .optional()
      .describe('Models, limits and prices; by default the catalog that is shipped'),
    databaseFile: z
      .string()
      .min(1)
      .default('.data/gateway.db')
      .describe("The ledger of a real chain; the devnet's is in its folder"),
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('debug, info, warn, error or silent; lines of JSON on standard error'),
    corsAllowOrigin: z
      .string()
      .min(1)
      .nullable()
      .default('*')
      .describe('Origin that browsers may call from: `*`, one origin, or null for none'),
    offerValiditySeconds: seconds.default(300).describe('`maxTimeoutSeconds` of every offer'),
    inferenceTimeoutMs: milliseconds.default(60_000).describe('How long an engine may take'),
    settlementWaitMs: milliseconds
      .default(20_000)
      .describe('How long a caller waits for the chain before the answer is `settlement_pending`'),
    unsettledWaitMs: milliseconds
      .default(5_000)
      .describe('How long a request waits where only earlier payments on their way make its payer too poor'),
    settlementMarginSeconds: seconds
      .default(30)
      .describe('What an authorization must still be valid for when inference has taken all its time'),
    concurrentInferencesMax: z
      .int()
      .min(1)
      .max(100_000)
      .default(1_024)
      .describe('Paid requests under way at once; one more is `overloaded`'),
    bodyBytesMax: z
      .int()
      .min(1_024)
      .max(64 * 1_048_576)
      .default(1_048_576)
      .describe('Largest request body'),
    bodyTimeoutMs: milliseconds.default(15_000).describe('How long a body may take to arrive'),
    headersTimeoutMs: milliseconds.default(10_000).describe('How long request headers may take to arrive'),
    jsonDepthMax: z.int().min(8).max(1_000).default(100).describe('Deepest nesting of a body'),
    ...httpLimits,
    paymentHeaderBytesMax: z.int().min(1_024).max(16_384).default(8_192).describe('Longest `X-PAYMENT`'),
    messagesMax: z.int().min(1).default(1_024).describe('Most messages of a chat'),
    toolsMax: z.int().min(1).default(128).describe('Most tools of a chat'),
    addressRateLimit: rateLimit
      .default({ requestsMax: 1_200, windowSeconds: 60 })
      .describe('Requests of one client address, before the payer is known; null for no limit'),
    payerRateLimit: rateLimit
      .default({ requestsMax: 600, windowSeconds: 60 })
      .describe('Requests of one payer, once its signature is proven; null for no limit'),
    rpcTimeoutMs: milliseconds.default(10_000).describe('How long a call to the chain may take'),
    rpcAnswerBytesMax: z
      .int()
      .min(65_536)
      .default(4 * 1_048_576)
      .describe('Largest answer of the chain that is read'),
    rpcLagBlocksMax: z
      .int()
      .min(1)
      .default(5)
      .describe('An RPC endpoint that is further behind another than so many blocks is not read from'),
    rpcLookMs: milliseconds
      .default(5_000)
      .describe('How often each of several RPC endpoints is asked how it is'),
    balanceAgeMaxSeconds: z
      .int()
      .min(0)
      .max(60)
      .default(2)
      .describe('A reading of a balance older than this decides nothing'),
    receiptPollMs: milliseconds.default(10).describe('First pause between looks for a receipt; it doubles'),
    receiptPollMsMax: milliseconds.default(1_000).describe('Longest pause between looks for a receipt'),
    receiptGatherMs: z
      .int()
      .min(0)
      .max(1_000)
      .default(2)
      .describe('How long a relayer gathers payments while many come in'),
    settlementBatchMax: z
      .int()
      .min(1)
      .max(100)
      .default(100)
      .describe('Most payments in one transaction; 1 settles each by itself'),
    settlementResendMs: milliseconds
      .default(5_000)
      .describe('A transaction that is not mined, on either chain, is sent again this often'),
    settlementStuckMs: milliseconds
      .default(20_000)
      .describe('A transaction that is not mined is replaced by one with higher fees after so long'),
    relayerLeaseSeconds: seconds
      .default(30)
      .describe('How long a process that died keeps its relayer, and the ledger network, from others'),
    proofBatchMax: z
      .int()
      .min(1)
      .max(1_024)
      .default(64)
      .describe('Inferences at which a batch is recorded, and the most that it has'),
    proofBatchAgeSeconds: seconds.default(10).describe('How long an inference waits for others of its batch'),
    proofAskMs: milliseconds
      .default(500)
      .describe('How often the ledger is asked for proofs that are to be recorded'),
    proofRetryMsMax: milliseconds
      .default(60_000)
      .describe('Longest pause after the ledger network failed; the first is a second, and it doubles'),
    proofFinalityBlocks: z
      .int()
      .min(1)
      .max(100_000)
      .default(64)
      .describe(
        'Blocks on top of a record that make it final, on a ledger network that names no finalized block',
      ),
    ledgerAskMs: milliseconds
      .default(100)
      .describe('How often a payment that another process settles is asked about'),
    ledgerKeepMs: milliseconds
      .default(5_000)
      .describe('How often finality, on either chain, and abandoned reservations are looked after'),
    lookBackBlocks: z
      .int()
      .min(1)
      .default(20_000)
      .describe('Blocks searched for the transaction that spent an authorization, or recorded a proof'),
    debtBlockSeconds: seconds.default(60).describe('How long a payer who left work unpaid is held back'),
    answerKeepSeconds: seconds
      .default(600)
      .describe('How long an answer is kept for replay after it was settled'),
    refusedAnswerKeepSeconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .default(604_800)
      .describe(
        'The same for a payment that was refused and has no earlier end; then it buys nothing any more',
      ),
    feeGweiMax: z.number().positive().default(50).describe('Most that a unit of gas may cost, in gwei'),
    priorityFeeGwei: z.number().min(0).default(0.01).describe('Tip for a unit of gas, in gwei'),
    ledgerConnectionsMax: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe('Connections of one gateway to a shared ledger'),
    databaseBusyTimeoutMs: milliseconds
      .default(5_000)
      .describe('How long another process may hold the ledger'),
    databaseFreeBytesMin: z
      .int()
      .min(0)
      .default(33_554_432)
      .describe('With fewer free bytes on the disk of the store nothing new is sold; 0 for no limit'),
    healthAgeMaxMs: milliseconds
      .default(2_000)
      .describe('How old the health of store and settlement may be that readiness and new payments go by'),
    upstreamHealthAgeMaxMs: milliseconds.default(5_000).describe('The same for the health of an upstream'),
    upstreamConnectTimeoutMs: milliseconds
      .default(3_000)
      .describe('How long a connection to an upstream may take'),
    upstreamHeadersTimeoutMs: milliseconds
      .default(60_000)
      .describe('How long an upstream may take to begin its answer'),
    upstreamAnswerBytesMax: z
      .int()
      .min(65_536)
      .default(8 * 1_048_576)
      .describe('Largest answer of an upstream that is read'),
    upstreamConnections: z.int().min(1).max(1_024).default(64).describe('Connections to one upstream'),
    attestation: attestation.describe(
      'Who attests to the key that signs proofs of inference; `required: hardware` refuses to start without',
    ),
    shutdownTimeoutMs: milliseconds
      .default(30_000)
      .describe('How long work under way may take to end when the gateway is told to stop'),
  })
  .refine(({ host, publicBaseUrl }) => publicBaseUrl !== undefined || !wildcards.includes(host), {
    path: ['publicBaseUrl'],
    message: 'must be set where host is a wildcard: offers name it, and nobody can pay 0.0.0.0',
  });

export type Config = Readonly<z.infer<typeof configSchema>>;

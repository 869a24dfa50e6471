import { z } from 'zod';
import { parseAddress } from '../vocabulary/units.ts';

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
  /** JSON-RPC endpoint; a key in it is kept out of every log. */
  rpcUrl: z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }),
  /** The payment token. */
  asset: address,
  /** The token's EIP-712 domain name. */
  tokenName: z.string().min(1),
  /** Where payments go. */
  payTo: address,
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
    chain: chain.optional().describe('The real chain to settle on; without it an embedded devnet is started'),
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
      .describe('A settlement that is not mined is sent again this often'),
    settlementStuckMs: milliseconds
      .default(20_000)
      .describe('A settlement that is not mined is replaced by one with higher fees after so long'),
    relayerLeaseSeconds: seconds
      .default(30)
      .describe('How long a process that died keeps its relayer from others'),
    ledgerAskMs: milliseconds
      .default(100)
      .describe('How often a payment that another process settles is asked about'),
    ledgerKeepMs: milliseconds
      .default(5_000)
      .describe('How often finality and abandoned reservations are looked after'),
    lookBackBlocks: z
      .int()
      .min(1)
      .default(20_000)
      .describe('Blocks searched for the transaction that spent an authorization'),
    debtBlockSeconds: seconds.default(60).describe('How long a payer who left work unpaid is held back'),
    answerKeepSeconds: seconds
      .default(600)
      .describe('How long an answer is kept for replay after it was settled'),
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
    shutdownTimeoutMs: milliseconds
      .default(30_000)
      .describe('How long work under way may take to end when the gateway is told to stop'),
  })
  .refine(({ host, publicBaseUrl }) => publicBaseUrl !== undefined || !wildcards.includes(host), {
    path: ['publicBaseUrl'],
    message: 'must be set where host is a wildcard: offers name it, and nobody can pay 0.0.0.0',
  });

export type Config = Readonly<z.infer<typeof configSchema>>;

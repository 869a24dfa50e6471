import { isIP } from 'node:net';
import { z } from 'zod';
import { attestation } from './attestation.ts';
import { checkContradictions } from './contradictions.ts';
import { httpLimits } from './http-limits.ts';
import { chain, facilitator, proofLedger } from './networks.ts';

const milliseconds = z.int().min(1).max(3_600_000);
const seconds = z.int().min(1).max(86_400);
const rateLimit = z.strictObject({ requestsMax: z.int().min(1), windowSeconds: seconds }).nullable();

/** Addresses to listen on that are no address to call. */
const wildcards = ['0.0.0.0', '::'];

/** An address or a name, and nothing else of a URL. Brackets around IPv6 are those of a URL, and no part of the address. */
const host = z
  .string()
  .min(1)
  .transform((text) => text.trim().replace(/^\[(.*)\]$/, '$1'))
  .refine((text) => isIP(text) !== 0 || /^[\w.-]+$/.test(text), {
    message: 'must be an address or a name alone, such as 127.0.0.1 or ::1; the port is PORT (port)',
  });

function isBare(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
}

/** Every setting of the gateway, its unit in its name, its default beside it. */
export const configSchema = z
  .strictObject({
    host: host.default('127.0.0.1').describe('Address to listen on'),
    port: z.int().min(0).max(65_535).default(8402).describe('Port to listen on; 0 takes a free one'),
    publicBaseUrl: z
      .url({ protocol: /^https?$/, message: 'must be an http or https URL' })
      .refine(isBare, {
        message: 'must have no user, password, query or fragment: paths are put behind it',
      })
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
      .describe("Folder of the embedded devnet: the payer's key for the client, and the store"),
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
      .describe("The store of a real chain; the devnet's is in its folder"),
    logLevel: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('debug, info, warn, error or silent; lines of JSON on standard error'),
    corsAllowOrigin: z
      .string()
      .min(1)
      // It becomes the value of a header (RFC 9110 5.5).
      .regex(/^[\x21-\x7e]+$/, 'must be `*` or one origin, such as https://shop.example, in visible ASCII')
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
    rpcProbeMs: milliseconds
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
      .describe('How often the store is asked for proofs that are to be recorded'),
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
    storeAskMs: milliseconds
      .default(100)
      .describe('How often a payment that another process settles is asked about'),
    storeKeepMs: milliseconds
      .default(5_000)
      .describe('How often finality, on either chain, and abandoned reservations are looked after'),
    logBlocksMax: z
      .int()
      .min(1)
      .default(20_000)
      .describe('Blocks searched for the transaction that spent an authorization, or recorded a proof'),
    acceptThirdPartySenders: z
      .boolean()
      .default(false)
      .describe(
        'Takes a transfer that somebody else sent for payment; only where no other store has this recipient',
      ),
    debtBlockSeconds: seconds.default(60).describe('How long a payer who left work unpaid is held back'),
    answerKeepSeconds: seconds
      .default(600)
      .describe('How long an answer is kept for replay after it was settled'),
    privateAnswerKeepSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(30)
      .describe('The same in `private` mode, once the response was written: its connection may still break'),
    refusedAnswerKeepSeconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .default(604_800)
      .describe(
        'The same for a payment that was refused and has no earlier end; then it buys nothing any more',
      ),
    feeGweiMax: z
      .number()
      .positive()
      .max(1e9)
      .default(50)
      .describe('Most that a unit of gas may cost, in gwei'),
    priorityFeeGwei: z.number().min(0).default(0.01).describe('Tip for a unit of gas, in gwei'),
    storeConnectionsMax: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe('Connections of one gateway to a shared store'),
    databaseBusyTimeoutMs: milliseconds
      .default(5_000)
      .describe('How long another process may hold the store'),
    databaseFreeBytesMin: z
      .int()
      .min(0)
      .default(33_554_432)
      .describe('With fewer free bytes on the disk of the store nothing new is sold; 0 for no limit'),
    healthAgeMaxMs: milliseconds
      .default(2_000)
      .describe('How old the health of store and settlement may be that readiness and new payments go by'),
    chainHeadAgeMaxSeconds: seconds
      .nullable()
      .optional()
      .describe(
        'How old the newest block may be before nothing new is sold; null for no limit. By default 60, and null on the devnet and on development nodes',
      ),
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
  })
  .refine(({ chain, proofLedger }) => proofLedger === undefined || chain?.payTo !== proofLedger.contract, {
    path: ['chain', 'payTo'],
    message: 'is the address of the proof ledger, which is on another chain; set it to an account of yours',
  })
  .superRefine(checkContradictions);

export type Config = Readonly<z.infer<typeof configSchema>>;

import { z } from 'zod';
import { milliseconds, seconds } from './numbers.ts';

/** How the gateway reads both chains, and how it sends settlements and proofs. */
export const chainSettings = {
  devnetBlockTimeSeconds: z.int().min(0).max(60).default(0).meta({
    description: 'Seconds between blocks of the embedded devnet; 0 mines at once',
    changeWhen: 'Set it to test how clients wait for a slow chain.',
  }),
  rpcTimeoutMs: milliseconds.default(10_000).meta({
    description: 'How long a call to the chain may take',
    changeWhen: 'Lower it where another RPC endpoint should take over earlier.',
  }),
  rpcResponseBytesMax: z
    .int()
    .min(65_536)
    .default(4 * 1_048_576)
    .meta({
      description: 'Largest response of an RPC endpoint that the gateway reads',
      changeWhen: 'Raise it where the log reports responses of the chain that are too large.',
    }),
  rpcLagBlocksMax: z.int().min(1).default(5).meta({
    description:
      'Most blocks that an RPC endpoint may be behind another one; the gateway reads from no endpoint further behind',
    changeWhen: 'Raise it on a chain with several blocks a second.',
  }),
  rpcProbeMs: milliseconds.default(5_000).meta({
    description: 'How often the gateway probes each of several RPC endpoints',
    changeWhen: 'Raise it where your RPC endpoints count requests.',
  }),
  chainHeadAgeMaxSeconds: seconds.nullable().optional().meta({
    description:
      'Largest age of the newest block; beyond it the gateway sells nothing new. null for no limit. By default 60, and null on the devnet and on development nodes',
    changeWhen: 'Raise it on a chain with long pauses between blocks.',
  }),
  balanceAgeMaxSeconds: z.int().min(0).max(60).default(2).meta({
    description: 'Largest age of a balance that decides about a payment',
    changeWhen: 'Raise it where your RPC endpoint counts requests and payers send many.',
  }),
  logBlocksMax: z.int().min(1).default(20_000).meta({
    description:
      'Blocks that the gateway searches for the transaction that used an authorization, or recorded a proof',
    changeWhen: 'Lower it where an RPC endpoint refuses to search so many blocks.',
  }),
  receiptPollMs: milliseconds.default(2).meta({
    description: 'First pause between two reads of a receipt; each further pause is a quarter longer',
    changeWhen: 'Raise it on a chain with slow blocks, to send fewer calls.',
  }),
  receiptPollMsMax: milliseconds.default(1_000).meta({
    description: 'Longest pause between two reads of a receipt',
    changeWhen: 'Lower it to see receipts earlier on a chain with fast blocks.',
  }),
  receiptGatherMs: z.int().min(0).max(1_000).default(2).meta({
    description: 'How long a relayer collects payments for a transaction while many arrive',
    changeWhen: 'Raise it to settle more payments in one transaction.',
  }),
  settlementBatchMax: z.int().min(1).max(100).default(100).meta({
    description: 'Most payments in one transaction; 1 settles each payment alone',
    changeWhen: 'Lower it on a chain with a low gas limit for blocks.',
  }),
  settlementNoncesMax: z.int().min(1).max(16).default(4).meta({
    description: 'Most transactions of a relayer that are open at the same time',
    changeWhen: 'Set it to 1 where an RPC endpoint accepts only one pending transaction of an account.',
  }),
  settlementNextNonceMs: z.int().min(0).max(60_000).default(400).meta({
    description:
      'How long payments gather while a transaction is open that is not full, before the next transaction carries them',
    changeWhen:
      'Raise it to pay less gas for each payment. Lower it to settle earlier on a chain with slow blocks.',
  }),
  settlementResendMs: milliseconds.default(5_000).meta({
    description: 'How often a transaction that is not mined is sent again, on either chain',
    changeWhen: 'Raise it where an RPC endpoint limits transactions that are sent again.',
  }),
  settlementStuckMs: milliseconds.default(20_000).meta({
    description: 'Time after which a transaction that is not mined is replaced by one with higher fees',
    changeWhen: 'Raise it on a chain with slow blocks. Lower it where fees rise fast.',
  }),
  priorityFeeGwei: z.number().min(0).max(1e9).default(0.01).meta({
    description: 'Tip for a unit of gas, in gwei',
    changeWhen: 'Raise it where the chain prefers transactions with a higher tip.',
  }),
  relayerLeaseSeconds: seconds.default(30).meta({
    description: 'How long a dead process keeps its relayer and its right to write to the proof ledger',
    changeWhen: 'Lower it where another gateway should take over earlier.',
  }),
  proofBatchDue: z.int().min(1).max(1_024).default(64).meta({
    description: 'How many waiting inferences are recorded at once, as a batch',
    changeWhen: 'Raise it to pay less gas for each proof.',
  }),
  proofBatchMax: z.int().min(1).max(1_024).default(256).meta({
    description: 'Most inferences of a batch, if more wait than `proofBatchDue`',
    changeWhen: 'Raise it where proofs wait on a chain with slow blocks.',
  }),
  proofBatchAgeSeconds: seconds.default(10).meta({
    description: 'How long an inference waits for its batch to fill',
    changeWhen: 'Lower it where clients verify soon. Raise it to pay less gas for each proof.',
  }),
  proofPollMs: milliseconds.default(500).meta({
    description: 'How often the gateway asks the store for proofs to record',
    changeWhen: 'Raise it where several gateways ask a shared store too often.',
  }),
  proofRetryMsMax: milliseconds.default(60_000).meta({
    description:
      'Longest pause after a failure of the proof ledger; the first pause is a second, and each further one is twice as long',
    changeWhen: 'Lower it to record proofs earlier after an outage of the proof ledger.',
  }),
  proofFinalityBlocks: z.int().min(1).max(100_000).default(64).meta({
    description: 'Blocks after which a record is final, if the proof ledger has no finalized block',
    changeWhen: 'Lower it if the second chain has only shallow reorganisations.',
  }),
};

import { z } from 'zod';
import { milliseconds, seconds } from './numbers.ts';

/** How the gateway reads both chains, and how it sends settlements and proofs to them. */
export const chainSettings = {
  devnetBlockTimeSeconds: z.int().min(0).max(60).default(0).meta({
    description: 'Seconds between blocks of the embedded devnet; 0 mines at once',
    changeWhen: 'Set it to try how clients wait for a slow chain.',
  }),
  rpcTimeoutMs: milliseconds.default(10_000).meta({
    description: 'How long a call to the chain may take',
    changeWhen: 'Lower it where another RPC endpoint should take over earlier.',
  }),
  rpcAnswerBytesMax: z
    .int()
    .min(65_536)
    .default(4 * 1_048_576)
    .meta({
      description: 'Largest response of an RPC endpoint that is read',
      changeWhen: 'Raise it where the log reports responses of the chain that are too large.',
    }),
  rpcLagBlocksMax: z.int().min(1).default(5).meta({
    description: 'An RPC endpoint that is further behind another than so many blocks is not read from',
    changeWhen: 'Raise it on a chain with several blocks a second.',
  }),
  rpcProbeMs: milliseconds.default(5_000).meta({
    description: 'How often each of several RPC endpoints is asked how it is',
    changeWhen: 'Raise it where your RPC endpoints count requests.',
  }),
  chainHeadAgeMaxSeconds: seconds.nullable().optional().meta({
    description:
      'How old the newest block may be before nothing new is sold; null for no limit. By default 60, and null on the devnet and on development nodes',
    changeWhen: 'Raise it on a chain with long pauses between blocks.',
  }),
  balanceAgeMaxSeconds: z.int().min(0).max(60).default(2).meta({
    description: 'A reading of a balance older than this decides nothing',
    changeWhen: 'Raise it where your RPC endpoint counts requests and payers send many.',
  }),
  logBlocksMax: z.int().min(1).default(20_000).meta({
    description: 'Blocks searched for the transaction that spent an authorization, or recorded a proof',
    changeWhen: 'Lower it where an RPC endpoint refuses to search so many blocks.',
  }),
  receiptPollMs: milliseconds.default(10).meta({
    description: 'First pause between looks for a receipt; it doubles',
    changeWhen: 'Raise it on a chain with slow blocks, to send fewer calls.',
  }),
  receiptPollMsMax: milliseconds.default(1_000).meta({
    description: 'Longest pause between looks for a receipt',
    changeWhen: 'Lower it to see receipts earlier on a chain with fast blocks.',
  }),
  receiptGatherMs: z.int().min(0).max(1_000).default(2).meta({
    description: 'How long a relayer gathers payments while many come in',
    changeWhen: 'Raise it to settle more payments in one transaction.',
  }),
  settlementBatchMax: z.int().min(1).max(100).default(100).meta({
    description: 'Most payments in one transaction; 1 settles each by itself',
    changeWhen: 'Lower it where the blocks of a chain have room for less gas.',
  }),
  settlementResendMs: milliseconds.default(5_000).meta({
    description: 'A transaction that is not mined, on either chain, is sent again this often',
    changeWhen: 'Raise it where an RPC endpoint limits transactions that are sent again.',
  }),
  settlementStuckMs: milliseconds.default(20_000).meta({
    description: 'A transaction that is not mined is replaced by one with higher fees after so long',
    changeWhen: 'Raise it on a chain with slow blocks. Lower it where fees rise fast.',
  }),
  priorityFeeGwei: z.number().min(0).default(0.01).meta({
    description: 'Tip for a unit of gas, in gwei',
    changeWhen: 'Raise it where the chain prefers transactions with a higher tip.',
  }),
  relayerLeaseSeconds: seconds.default(30).meta({
    description: 'How long a process that died keeps its relayer, and the proof ledger, from others',
    changeWhen: 'Lower it where another gateway should take over earlier.',
  }),
  proofBatchMax: z.int().min(1).max(1_024).default(64).meta({
    description: 'Inferences at which a batch is recorded, and the most that it has',
    changeWhen: 'Raise it to pay less gas for each proof.',
  }),
  proofBatchAgeSeconds: seconds.default(10).meta({
    description: 'How long an inference waits for others of its batch',
    changeWhen: 'Lower it where clients verify soon. Raise it to pay less gas for each proof.',
  }),
  proofAskMs: milliseconds.default(500).meta({
    description: 'How often the store is asked for proofs that are to be recorded',
    changeWhen: 'Raise it where several gateways ask a shared store too often.',
  }),
  proofRetryMsMax: milliseconds.default(60_000).meta({
    description: 'Longest pause after the proof ledger failed; the first is a second, and it doubles',
    changeWhen: 'Lower it to record proofs earlier after an outage of the proof ledger.',
  }),
  proofFinalityBlocks: z.int().min(1).max(100_000).default(64).meta({
    description:
      'Blocks on top of a record that make it final, where the proof ledger names no finalized block',
    changeWhen: 'Lower it where the second chain cannot be reorganised so deep.',
  }),
};

import { z } from 'zod';
import { milliseconds, seconds } from './numbers.ts';

/** Times and limits of payments and of the store. */
export const paymentSettings = {
  offerValiditySeconds: seconds.default(300).meta({
    description: '`maxTimeoutSeconds` of every offer',
    changeWhen: 'Raise it together with `inferenceTimeoutMs`. Lower it to free the funds of payers earlier.',
  }),
  inferenceTimeoutMs: milliseconds.default(60_000).meta({
    description: 'How long an engine may take for an inference',
    changeWhen: 'Raise it for slower models. Raise `upstreamHeadersTimeoutMs` with it.',
  }),
  concurrentInferencesMax: z.int().min(1).max(100_000).default(1_024).meta({
    description:
      'Paid requests in progress at once. If one of them only waits for its settlement, it leaves its place to a new one. Otherwise a new one gets `overloaded`',
    changeWhen: 'Lower it to the number of requests that your models run at once.',
  }),
  unsettledPaymentsMax: z.int().min(1).max(1_000_000).default(4_096).meta({
    description:
      'Payments of the store that wait for their settlement; beyond it only payers with less than an equal share may buy',
    changeWhen: 'Raise it where relayers settle more than this in a minute or two.',
  }),
  unsentPaymentsMin: z.int().min(1).max(1_000_000).default(16).meta({
    description:
      'Payments of the store that may wait for their first transaction while the gateway settles few. Otherwise, as many may wait as were settled in the last `settlementMarginSeconds`',
    changeWhen: 'Lower it where fewer are settled within the window of an authorization.',
  }),
  unsentWaitMs: milliseconds.default(10_000).meta({
    description:
      'How long a payment waits for its first transaction before `unsentPaymentsMin` limits the sale. Then only payers with less than their share of the waiting payments buy',
    changeWhen: 'Raise it where a block takes longer than this.',
  }),
  payerInferencesMax: z.int().min(1).max(100_000).nullable().default(256).meta({
    description:
      'Paid requests of one payer before the end of their inference; one more gets `overloaded`; null for no limit',
    changeWhen:
      'Raise it where one payer buys for many users. Lower it where few payers crowd out the others.',
  }),
  payerSlotsRatioMax: z.int().min(1).max(100_000).nullable().default(3).meta({
    description:
      'Inferences of one model that a payer, or all strangers of one site, may run, for each slot of the model that is free; null for no limit. A stranger is a payer who completed no more than it left in the last ten minutes',
    changeWhen:
      'Set null where one payer or one address buys for many users. Lower it where few payers crowd out the others.',
  }),
  leftInferenceMsMax: milliseconds.nullable().default(120_000).meta({
    description:
      'Time of inferences that a payer, or all strangers of one site, may leave within ten minutes, beyond the time of those that they complete. Inferences that fail because of their request count as left. After it, they run one inference of a model at once; null for no limit',
    changeWhen: 'Raise it where clients often leave before the end of long inferences.',
  }),
  waitingInferencesMax: z.int().min(0).max(100_000).default(256).meta({
    description:
      'New payments that wait while their models run as many inferences as they may (`max_concurrent_inferences` in the catalog); one more gets `overloaded`',
    changeWhen: 'Set 0 where clients should go to another gateway at once.',
  }),
  inferenceWaitMs: milliseconds.default(1_000).meta({
    description:
      'How long such a payment waits before it gets `overloaded`, and at most half of `inferenceTimeoutMs`; the wait is part of that time',
    changeWhen: 'Raise it where requests come in bursts.',
  }),
  settlementWaitMs: milliseconds.default(20_000).meta({
    description: 'How long a request waits for its settlement before it gets `settlement_pending`',
    changeWhen: 'Raise it where the chain takes longer to mine a transaction.',
  }),
  unsettledWaitMs: milliseconds.default(5_000).meta({
    description:
      "How long a request waits for the settlement of earlier payments that use up its payer's balance",
    changeWhen: 'Raise it where payers with a small balance send many requests at once.',
  }),
  settlementMarginSeconds: seconds.default(30).meta({
    description: 'How long an authorization must stay valid after the longest inference',
    changeWhen: 'Raise it where settlements are often mined late.',
  }),
  contractWallets: z.boolean().default(false).meta({
    description:
      'Whether contract wallets may pay. The gateway asks the code of the payer about its signature (ERC-1271)',
    changeWhen:
      'Set true where payers have contract wallets, and the token has `transferWithAuthorization` with `bytes signature`.',
  }),
  debtBlockSeconds: seconds.default(60).meta({
    description: 'How long a payer with unpaid inference is blocked',
    changeWhen: 'Raise it where payers empty their accounts on purpose.',
  }),
  completionKeepSeconds: seconds.default(600).meta({
    description: 'How long a completion is kept for replay after its settlement',
    changeWhen: 'Raise it where clients repeat a request later than this. Lower it to keep less on the disk.',
  }),
  privateCompletionKeepSeconds: z.int().min(0).max(86_400).default(30).meta({
    description:
      'How long a `private` completion is kept after its response, for a client whose connection broke',
    changeWhen: 'Set 0 where private completions must leave the disk at once.',
  }),
  refusedCompletionKeepSeconds: z.int().min(1).max(31_536_000).default(604_800).meta({
    description:
      'Longest time to keep the completion of a refused payment; afterwards the payment buys nothing',
    changeWhen: 'Lower it to keep less on the disk for payers who never pay.',
  }),
  refusedCompletionBytesMax: z
    .int()
    .min(1_048_576)
    .default(256 * 1_048_576)
    .meta({
      description:
        'Bytes of all completions of refused payments, at least 4,096 for each; the oldest are deleted first',
      changeWhen: 'Raise it where payers often pay later with the same payment.',
    }),
  storePollMs: milliseconds.default(100).meta({
    description: 'How often the gateway checks a payment that another process settles',
    changeWhen: 'Raise it where several gateways ask a shared store too often.',
  }),
  maintenanceMs: milliseconds.default(5_000).meta({
    description:
      'How often the maintenance loop looks for final payments, final proofs and abandoned reservations',
    changeWhen: 'Raise it where your RPC endpoint counts requests.',
  }),
  storeConnectionsMax: z.int().min(1).max(100).default(10).meta({
    description: 'Connections of one gateway to a shared store',
    changeWhen: 'Lower it where many gateways use up the connections of PostgreSQL.',
  }),
  storeRateLimitWaitMs: milliseconds.default(250).meta({
    description:
      'How long a request waits for the rate limits in a shared store. After a later response, the gateway counts alone for a while',
    changeWhen: 'Raise it where the shared store is far away.',
  }),
  databaseBusyTimeoutMs: milliseconds.default(5_000).meta({
    description: 'How long the gateway waits while another process locks the store',
    changeWhen: 'Raise it where a backup locks the store file for longer.',
  }),
  databaseFreeBytesMin: z.int().min(0).default(33_554_432).meta({
    description:
      'Free bytes on the disk of the store below which the gateway sells nothing new; 0 for no limit',
    changeWhen: 'Raise it where other programs fill the same disk.',
  }),
};

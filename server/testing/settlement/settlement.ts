import { randomBytes } from 'node:crypto';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { computeAddress, Interface, Signature, type Transaction, Wallet } from 'ethers';
import { transferWithAuthorizationCalldata } from '../../chain/calldata.ts';
import { createTransferCheck } from '../../chain/check-transfer.ts';
import { createHttpRpc, type HttpRpc } from '../../chain/http-rpc.ts';
import { createPaymentToken, type PaymentToken } from '../../chain/token.ts';
import { signTransaction } from '../../chain/transaction.ts';
import artifact from '../../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { ask } from '../../devnet/deployer.ts';
import { type Devnet, type FundedPayer, startDevnet } from '../../devnet/devnet.ts';
import { createLog } from '../../observe/log.ts';
import { createPayerReader } from '../../payment/balance.ts';
import type { Relayer } from '../../relayer/nonce.ts';
import { type BatchSettlerOptions, createBatchSettler } from '../../settlement/batch-settler.ts';
import type { Settler } from '../../settlement/settler.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { OpenStore, PaymentRecord, Store } from '../../store/store.ts';
import type { Authorization } from '../../types/authorization.ts';
import { type Clock, systemClock } from '../../types/clock.ts';
import {
  type Address,
  type AtomicAmount,
  atomicAmount,
  type Bytes32,
  type Hex,
  unixSeconds,
} from '../../types/units.ts';
import { readTokenDomain } from '../chain/token-domain.ts';
import { settlerThrough, type Through } from './facilitator-settler.ts';
import { createSentReader, startUnreliableNode, type UnreliableNode } from './unreliable-node.ts';

/** A chain with a payer, and a node in front of it whose conduct a test can set. */
export type Bench = {
  readonly devnet: Devnet;
  readonly node: UnreliableNode;
  /** Connects to the chain directly, whatever the node's conduct. */
  readonly rpc: HttpRpc;
  readonly token: PaymentToken;
  balanceOf(holder: Address): Promise<bigint>;
  /** Opens a settler with its own relayer and store, so that tests are independent. */
  openSettling(options?: SettlingOptions): Promise<Settling>;
  /** Encodes the payer's authorization for the token, for tests in which a third party sends it. */
  encodeTransfer(payment: PaymentRecord): Hex;
  /** Sends a call from its own key and mines it. */
  sendAsThirdParty(data: Hex, privateKey?: Bytes32): Promise<Bytes32>;
  stop(): Promise<void>;
};

export type SettlingOptions = Partial<
  Pick<
    BatchSettlerOptions,
    'settlementWaitMs' | 'clock' | 'maintenanceMs' | 'storePollMs' | 'acceptThirdPartySenders' | 'headTime'
  >
> & {
  readonly log?: BatchSettlerOptions['log'];
  readonly limits?: Partial<BatchSettlerOptions['limits']>;
  /** Ether of the relayer, in wei. */
  readonly gasFunds?: bigint;
  /** Ether of further relayers, each with its own worker. */
  readonly gasFundsOfOthers?: readonly bigint[];
  /** Replaces the single node. It is closed with the settler. */
  readonly rpc?: HttpRpc;
  /** Continues another settler's work, with the same store and relayer. */
  readonly after?: Settling;
  /** With `after`: has the same store, and another relayer. */
  readonly hasNewKey?: boolean;
  /** Settles through this facilitator instead of a relayer key. */
  readonly through?: Through;
};

export type Settling = {
  readonly settler: Settler;
  readonly store: OpenStore;
  readonly relayer: Address;
  readonly relayerKey: Bytes32;
  /** All relayers, the first one first. */
  readonly relayers: readonly Relayer[];
  /** Lists the transactions that a relayer sent, by default the first relayer, each once, in order. */
  sent(by?: Address): readonly Transaction[];
  /** Creates a signed, reserved and executed payment, with the changes of a test; by default of a new payer. */
  executed(
    change?: Partial<Authorization>,
    signedAs?: Partial<Authorization>,
    rewrite?: (signature: Hex) => Hex,
    by?: FundedPayer,
  ): Promise<Executed>;
  close(): Promise<void>;
};

export type Executed = { readonly payment: PaymentRecord; readonly payer: FundedPayer };

export const price = atomicAmount(1_500n);
export const payerFunds = atomicAmount(10_000n);
export const token = new Interface(artifact.abi);
const etherForGas = 10n ** 18n;
const anyHeadTime = { ageMaxSeconds: null, aheadMaxSeconds: 1_000_000 };

/** A relayer worker wakes when a test settles, and hardly ever by itself, so that the test decides when. */
const benchLimits = {
  batchMax: 100,
  pollMs: 5,
  pollMsMax: 20,
  gatherMs: 2,
  idleMs: 60_000,
  resendMs: 50,
  stuckMs: 60_000,
  noncesMax: 4,
  nextNonceMs: 400,
  leaseSeconds: 30,
} as const;

export async function startBench(history: 'pruned' | 'kept' = 'pruned', tokenCode?: Hex): Promise<Bench> {
  const devnet = await startDevnet({ chainId: 84_532, history, ...(tokenCode && { tokenCode }) });
  const node = await startUnreliableNode(devnet.rpcUrl);
  const sentFrom = createSentReader(node);
  const rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  const paymentToken = createPaymentToken({ rpc, asset: devnet.token.address });
  const closing: (() => Promise<unknown>)[] = [];
  const stores: OpenStore[] = [];

  async function balanceOf(holder: Address): Promise<AtomicAmount> {
    const balance = await paymentToken.balanceOf(holder);
    if (!balance.ok) throw new Error(balance.fault.message);
    return balance.value;
  }

  function fundRelayers(funds: readonly bigint[]): Promise<readonly Relayer[]> {
    return Promise.all(
      funds.map(async (wei) => {
        const key = `0x${randomBytes(32).toString('hex')}` as Bytes32;
        const address = computeAddress(key).toLowerCase() as Address;
        await ask(rpc, 'anvil_setBalance', [address, `0x${wei.toString(16)}`]);
        return { address, key, chainId: devnet.chainId };
      }),
    );
  }

  async function openSettling(options: SettlingOptions = {}): Promise<Settling> {
    const { after, gasFunds = etherForGas, settlementWaitMs = 30_000, clock = systemClock } = options;
    const { storePollMs = 20, maintenanceMs = 60_000, limits, gasFundsOfOthers = [] } = options;
    const { acceptThirdPartySenders = false, headTime = anyHeadTime } = options;
    const relayers =
      after === undefined || options.hasNewKey
        ? await fundRelayers([gasFunds, ...gasFundsOfOthers])
        : after.relayers;
    const [first] = relayers;
    if (first === undefined) throw new Error('no relayer');
    const { address: relayer, key: relayerKey } = first;
    const common = { clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 60 };
    const store = after?.store ?? (await openSqliteStore({ ...common, path: ':memory:' }));
    if (!after) stores.push(store);
    const nodeRpc =
      options.rpc ?? createHttpRpc({ url: node.url, timeoutMs: 1_500, responseBytesMax: 1_048_576 });
    const idle = Promise.withResolvers<void>();
    const { claimExecuted } = store;
    Object.assign(store, {
      async claimExecuted(...parameters: Parameters<typeof claimExecuted>) {
        const claimed = await claimExecuted(...parameters);
        idle.resolve();
        return claimed;
      },
    });
    const asset = devnet.token.address;
    const nodeToken = createPaymentToken({ rpc: nodeRpc, asset });
    const settlerOptions = {
      rpc: nodeRpc,
      store,
      token: nodeToken,
      readPayer: createPayerReader({ rpc: nodeRpc, token: nodeToken, asset, canBatch: true }, clock),
      checkTransfer: createTransferCheck(nodeRpc, asset),
      ...{ asset, canBatch: true, domainSeparator: await readTokenDomain(paymentToken) },
      payTo: devnet.payTo,
      owner: randomBytes(8).toString('hex'),
      clock,
      log: options.log ?? createLog('silent'),
      settlementWaitMs,
      storePollMs,
      maintenanceMs,
      logBlocksMax: 10_000,
      acceptThirdPartySenders,
      headTime,
      debtBlockSeconds: 60,
      completionKeepSeconds: 600,
      ...{ refusedCompletionKeepSeconds: 604_800, refusedCompletionBytesMax: 268_435_456 },
      limits: { ...benchLimits, ...limits },
    };
    const settler = options.through
      ? settlerThrough(options.through, { ...settlerOptions, tokenName: devnet.token.name })
      : createBatchSettler({
          ...settlerOptions,
          relayers,
          fees: { maxFeePerGasWeiMax: 50_000_000_000n, priorityFeeWei: 10_000_000n },
        });
    const close = async () => {
      await settler.close();
      await nodeRpc.close();
    };
    closing.push(close);
    // A relayer worker reads the store once at its start. Without this wait it could settle a payment before
    // the test asks for it.
    if (!after) await idle.promise;
    return { settler, store, relayer, relayerKey, relayers, sent, executed, close };

    function sent(by = relayer): readonly Transaction[] {
      return sentFrom(by);
    }

    async function executed(
      change: Partial<Authorization> = {},
      signedAs: Partial<Authorization> = {},
      rewrite: (signature: Hex) => Hex = (signature) => signature,
      by?: FundedPayer,
    ): Promise<Executed> {
      const payer = by ?? (await devnet.fundPayer(payerFunds));
      const authorization: Authorization = {
        from: payer.address,
        to: devnet.payTo,
        value: price,
        validAfter: 0n,
        validBefore: BigInt(systemClock.nowSeconds()) + 3_600n,
        nonce: `0x${randomBytes(32).toString('hex')}` as Bytes32,
        ...change,
      };
      const signature = rewrite(await signed(devnet, payer, { ...authorization, ...signedAs }));
      const payment = await executedPayment(store, clock, devnet.token.address, authorization, signature);
      return { payment, payer };
    }
  }

  return {
    devnet,
    node,
    rpc,
    token: paymentToken,
    balanceOf,
    openSettling,
    encodeTransfer: (payment) =>
      transferWithAuthorizationCalldata(payment.authorization, splitSignature(payment.signature)),
    async sendAsThirdParty(data, privateKey = `0x${randomBytes(32).toString('hex')}` as Bytes32) {
      const sender = computeAddress(privateKey);
      await ask(rpc, 'anvil_setBalance', [sender, `0x${etherForGas.toString(16)}`]);
      const nonce = Number(await ask<string>(rpc, 'eth_getTransactionCount', [sender, 'pending']));
      const fees = {
        gasLimit: 200_000n,
        maxFeePerGas: 20_000_000_000n,
        maxPriorityFeePerGas: 10_000_000_000n,
      };
      const to = devnet.token.address;
      const { raw, hash } = signTransaction(privateKey, {
        chainId: devnet.chainId,
        nonce,
        to,
        data,
        ...fees,
      });
      await ask(rpc, 'eth_sendRawTransaction', [raw]);
      await ask(rpc, 'evm_mine', []);
      return hash;
    },
    async stop() {
      for (const close of closing) await close();
      for (const store of stores) await store.close();
      await rpc.close();
      await node.close();
      await devnet.stop();
    },
  };
}

async function signed(devnet: Devnet, payer: FundedPayer, message: Authorization): Promise<Hex> {
  const { address: asset, name, version } = devnet.token;
  const domain = paymentDomain({ asset, extra: { name, version } });
  const wallet = new Wallet(payer.privateKey);
  return (await wallet.signTypedData(domain, { ...transferWithAuthorizationTypes }, message)) as Hex;
}

async function executedPayment(
  store: Store,
  clock: Clock,
  asset: Address,
  authorization: Authorization,
  signature: Hex,
): Promise<PaymentRecord> {
  const readAt = clock.steadySeconds();
  const leaseUntil = unixSeconds(readAt + 120);
  const rest = { fingerprint: 'one', settlementType: 'batch', leaseUntil } as const;
  const claim = { asset, authorization, signature, ...rest };
  const reserved = await store.reserve(claim, { balance: payerFunds, block: 1, readAt }, readAt);
  if (reserved.kind !== 'reserved') throw new Error(`not reserved but ${reserved.kind}`);
  await store.execute(reserved.payment.id, '{"content":42}', null);
  const payment = await store.find(reserved.payment.id);
  if (payment === null) throw new Error('no payment');
  return payment;
}

function splitSignature(signature: string): { v: 27 | 28; r: Bytes32; s: Bytes32 } {
  const { v, r, s } = Signature.from(signature);
  return { v, r: r as Bytes32, s: s as Bytes32 };
}

import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { createTransferCheck } from '../../chain/check-transfer.ts';
import type { HttpRpc } from '../../chain/http-rpc.ts';
import { createPaymentToken } from '../../chain/token.ts';
import type { Devnet } from '../../devnet/devnet.ts';
import { freshKey, fundGas } from '../../devnet/funded-key.ts';
import { createLog } from '../../observe/log.ts';
import { createPayerReader } from '../../payment/balance.ts';
import type { Relayer } from '../../relayer/nonce.ts';
import { createBatchSettler } from '../../settlement/batch-settler.ts';
import type { Settlement } from '../../settlement/settler.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Claim } from '../../store/store.ts';
import { readTokenDomain } from '../../testing/chain/token-domain.ts';
import { systemClock as clock } from '../../types/clock.ts';
import { atomicAmount, unixSeconds } from '../../types/units.ts';
import type { SignedPayload } from './payments.ts';

export type SettlerOptions = {
  readonly devnet: Devnet;
  readonly rpc: HttpRpc;
  readonly folder: string;
  /** Name of the file of the store. */
  readonly name: string;
  readonly relayers: number;
  /** Most payments in one transaction. */
  readonly batchMax: number;
};

/** The settler of the gateway with its store, without HTTP and inference. */
export type SettlerTarget = AsyncDisposable & {
  /** Reserves, executes and settles one payment. */
  settle(payload: SignedPayload): Promise<Settlement>;
};

export async function openSettlerTarget(options: SettlerOptions): Promise<SettlerTarget> {
  const { devnet, rpc } = options;
  const asset = devnet.token.address;
  const path = join(options.folder, `${options.name}.db`);
  const store = await openSqliteStore({ path, clock, busyTimeoutMs: 5_000, balanceAgeMaxSeconds: 3_600 });
  const token = createPaymentToken({ rpc, asset });
  const settler = createBatchSettler({
    rpc,
    store,
    clock,
    token,
    readPayer: createPayerReader({ rpc, token, asset, canBatch: true }, clock),
    checkTransfer: createTransferCheck(rpc, asset),
    asset,
    canBatch: true,
    domainSeparator: await readTokenDomain(token),
    payTo: devnet.payTo,
    log: createLog('silent'),
    owner: 'bench',
    relayers: await Promise.all(Array.from({ length: options.relayers }, () => fundRelayer(rpc))),
    settlementWaitMs: 60_000,
    storePollMs: 5_000,
    maintenanceMs: 60_000,
    logBlocksMax: 2_000,
    acceptThirdPartySenders: false,
    debtBlockSeconds: 60,
    headTime: { ageMaxSeconds: null, aheadMaxSeconds: 60 },
    completionKeepSeconds: 600,
    refusedCompletionKeepSeconds: 604_800,
    refusedCompletionBytesMax: 268_435_456,
    fees: { maxFeePerGasWeiMax: 50_000_000_000n, priorityFeeWei: 10_000_000n },
    limits: {
      batchMax: options.batchMax,
      pollMs: 2,
      pollMsMax: 50,
      gatherMs: 2,
      idleMs: 100,
      resendMs: 5_000,
      stuckMs: 20_000,
      noncesMax: 4,
      nextNonceMs: 400,
      leaseSeconds: 30,
    },
  });
  return {
    async settle(payload) {
      const now = clock.nowSeconds();
      const reading = { balance: atomicAmount(10n ** 12n), block: 1_000_000, readAt: now };
      const reserved = await store.reserve(toClaim(payload, devnet), reading, now);
      if (reserved.kind !== 'reserved') throw new Error(`The payment was not reserved but ${reserved.kind}.`);
      await store.execute(reserved.payment.id, 'a completion', null);
      return settler.settle({ ...reserved.payment, state: 'executed' });
    },
    async [Symbol.asyncDispose]() {
      await settler.close();
      await store.close();
    },
  };
}

async function fundRelayer(rpc: HttpRpc): Promise<Relayer> {
  const { address, privateKey } = freshKey();
  await fundGas(rpc, address);
  return { address, key: privateKey, chainId };
}

function toClaim({ signature, authorization }: SignedPayload, { token, payTo }: Devnet): Claim {
  const { from, value, validAfter, validBefore, nonce } = authorization;
  return {
    asset: token.address,
    authorization: {
      from,
      to: payTo,
      value: atomicAmount(BigInt(value)),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
    signature,
    fingerprint: 'f',
    settlementType: 'batch',
    leaseUntil: unixSeconds(clock.nowSeconds() + 600),
  };
}

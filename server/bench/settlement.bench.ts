import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { computeAddress, Wallet } from 'ethers';
import { createTransferCheck } from '../chain/check-transfer.ts';
import { createHttpRpc, type HttpRpc } from '../chain/http-rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { ask } from '../devnet/deployer.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { createLog } from '../observe/log.ts';
import { createPayerReader } from '../payment/balance.ts';
import type { Relayer } from '../relayer/nonce.ts';
import { createBatchSettler } from '../settlement/batch-settler.ts';
import type { Settler } from '../settlement/settler.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { Claim, OpenStore } from '../store/store.ts';
import { systemClock } from '../types/clock.ts';
import { type Address, atomicAmount, type Bytes32, type Hex, unixSeconds } from '../types/units.ts';

// Measures settled payments per second, batch size and gas: in batches and one by one, with one and two
// relayers. Run it with `npm run bench:settlement`.
const atOnce = 64;
const payments = { batched: 1_920, single: 640, slow: 192 };
const price = atomicAmount(1_000n);

type Figures = {
  readonly perSecond: number;
  readonly perTransaction: number;
  readonly gasPerPayment: number;
};

const devnet = await startDevnet({ chainId });
try {
  console.log(`Signing ${payments.batched + payments.single} payments of ${atOnce} payers …`);
  const batched = await measure(devnet, payments.batched, 100);
  const single = await measure(devnet, payments.single, 1);
  console.log(`\n${atOnce} payments at once, store on disk with every commit flushed, embedded devnet\n`);
  console.log('                    settled/s   payments/transaction   gas/payment');
  for (const [name, figures] of Object.entries({ 'batches of 100': batched, 'one by one': single })) {
    const { perSecond, perTransaction, gasPerPayment } = figures;
    console.log(
      `  ${name.padEnd(16)} ${perSecond.toFixed(0).padStart(9)} ${perTransaction.toFixed(1).padStart(22)} ${gasPerPayment.toFixed(0).padStart(13)}`,
    );
  }
  const faster = (batched.perSecond / single.perSecond).toFixed(1);
  const gas = (batched.gasPerPayment / single.gasPerPayment).toFixed(2);
  console.log(`\n  ${faster} times as many payments, at ${gas} of the gas`);
} finally {
  await devnet.stop();
}
await compareRelayers();

/** With a block a second, a relayer has one transaction in each block, so a second relayer doubles the rate. */
async function compareRelayers(): Promise<void> {
  const slow = await startDevnet({ chainId, blockTimeSeconds: 1 });
  try {
    const one = await measure(slow, payments.slow, 16, 1);
    const two = await measure(slow, payments.slow, 16, 2);
    const [first, second] = [one, two].map(({ perSecond }) => perSecond.toFixed(0));
    console.log(
      `\n  a block a second, batches of 16: ${first} settled/s with one relayer, ${second} with two`,
    );
  } finally {
    await slow.stop();
  }
}

async function measure(chain: Devnet, count: number, batchMax: number, relayers = 1): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-bench-'));
  const rpc = createHttpRpc({ url: chain.rpcUrl, timeoutMs: 10_000, responseBytesMax: 4_194_304 });
  const clock = systemClock;
  const store = await openSqliteStore({
    path: join(folder, 'store.db'),
    clock,
    busyTimeoutMs: 5_000,
    balanceAgeMaxSeconds: 3_600,
  });
  const settler = await openSettler(chain, rpc, store, batchMax, relayers);
  const claims = await signed(chain, count);
  const hashes = new Set<Bytes32>();
  const startedAt = clock.monotonicMs();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = (clock.monotonicMs() - startedAt) / 1_000;
  const gas = await Promise.all([...hashes].map((hash) => readGas(rpc, hash)));
  await settler.close();
  await store.close();
  await rpc.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    perSecond: count / seconds,
    perTransaction: count / hashes.size,
    gasPerPayment: gas.reduce((sum, used) => sum + used, 0) / count,
  };

  async function worker(): Promise<void> {
    for (let claim = claims.pop(); claim !== undefined; claim = claims.pop()) {
      const now = clock.nowSeconds();
      const reading = { balance: atomicAmount(10n ** 12n), block: 1_000_000, readAt: now };
      const reserved = await store.reserve(claim, reading, now);
      if (reserved.kind !== 'reserved') throw new Error(`The payment was not reserved but ${reserved.kind}.`);
      await store.execute(reserved.payment.id, 'a completion', null);
      const settlement = await settler.settle({ ...reserved.payment, state: 'executed' });
      if (settlement.state !== 'settled')
        throw new Error(`The payment was not settled but ${settlement.state}.`);
      hashes.add(settlement.txHash);
    }
  }
}

async function openSettler(
  chain: Devnet,
  rpc: HttpRpc,
  store: OpenStore,
  batchMax: number,
  relayers: number,
): Promise<Settler> {
  const clock = systemClock;
  const asset = chain.token.address;
  const token = createPaymentToken({ rpc, asset });
  return createBatchSettler({
    rpc,
    store,
    clock,
    token,
    readPayer: createPayerReader({ rpc, token, asset, canBatch: true }, clock),
    checkTransfer: createTransferCheck(rpc, asset),
    asset,
    payTo: chain.payTo,
    log: createLog('silent'),
    owner: 'bench',
    relayers: await Promise.all(Array.from({ length: relayers }, () => fundRelayer(rpc))),
    settlementWaitMs: 60_000,
    storePollMs: 5_000,
    maintenanceMs: 60_000,
    logBlocksMax: 2_000,
    acceptThirdPartySenders: false,
    debtBlockSeconds: 60,
    headTime: { ageMaxSeconds: null, aheadMaxSeconds: 60 },
    completionKeepSeconds: 600,
    refusedCompletionKeepSeconds: 604_800,
    fees: { maxFeePerGasWeiMax: 50_000_000_000n, priorityFeeWei: 10_000_000n },
    limits: {
      batchMax,
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
}

async function fundRelayer(rpc: HttpRpc): Promise<Relayer> {
  const key = `0x${randomBytes(32).toString('hex')}` as Bytes32;
  const address = computeAddress(key).toLowerCase() as Address;
  await ask(rpc, 'anvil_setBalance', [address, '0x3635c9adc5dea00000']);
  return { address, key, chainId };
}

async function readGas(rpc: HttpRpc, hash: Bytes32): Promise<number> {
  const receipt = await rpc.call<{ gasUsed: string }>('eth_getTransactionReceipt', [hash]);
  if (!receipt.ok) throw new Error(receipt.fault.message);
  return Number(receipt.value.gasUsed);
}

/** Signs payments of `atOnce` payers before the measurement, because signing is the clients' work. */
async function signed({ token, payTo, fundPayer }: Devnet, count: number): Promise<Claim[]> {
  const payers = await Promise.all(Array.from({ length: atOnce }, () => fundPayer()));
  const domain = paymentDomain({ asset: token.address, extra: token });
  const now = systemClock.nowSeconds();
  const claims: Claim[] = [];
  for (let index = 0; index < count; index++) {
    const payer = payers[index % atOnce];
    if (payer === undefined) throw new Error('There is no payer.');
    const nonce = `0x${randomBytes(32).toString('hex')}` as Bytes32;
    const window = { validAfter: 0n, validBefore: BigInt(now) + 3_600n };
    const authorization = { from: payer.address, to: payTo, value: price, nonce, ...window };
    const wallet = new Wallet(payer.privateKey);
    const signature = (await wallet.signTypedData(
      domain,
      transferWithAuthorizationTypes,
      authorization,
    )) as Hex;
    const leaseUntil = unixSeconds(now + 600);
    claims.push({
      asset: token.address,
      authorization,
      signature,
      fingerprint: 'f',
      settlementType: 'batch',
      leaseUntil,
    });
  }
  return claims;
}

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { singleGas } from '../chain/transfer-batch.ts';
import { keepWalletSignature, walletSignatureBytesMax } from '../chain/wallet-signature.ts';
import { ask } from '../devnet/deployer.ts';
import { delegate, guardedTokenCode } from '../testing/chain/guarded-token.ts';
import { deployTestWallet, signatureOfWallet, type WalletConduct } from '../testing/chain/test-wallet.ts';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  startBench,
} from '../testing/settlement/settlement.ts';
import { systemClock } from '../types/clock.ts';
import type { Bytes32, Hex } from '../types/units.ts';

// The settlement of contract wallets through the overload with `bytes signature`, beside the payments of keys (D-293).

let bench: Bench;
let settling: Settling;

beforeAll(async () => {
  bench = await startBench('pruned', guardedTokenCode);
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  settling = await bench.openSettling();
});
afterEach(() => settling.close());

const crowd = 8;
const reverted = { state: 'refused', reason: 'invalid_transaction_state' } as const;
const settled = expect.objectContaining({ state: 'settled' });
const received = () => bench.balanceOf(bench.devnet.payTo);

/** An executed payment of a contract wallet, whose signature has this many bytes after that of its owner. */
async function ofWallet(conduct: WalletConduct, extraBytes?: number): Promise<Executed> {
  const wallet = await deployTestWallet(bench.rpc, bench.devnet, conduct, payerFunds);
  const keep = (signature: Hex) => keepWalletSignature(signatureOfWallet(signature, extraBytes));
  return settling.executed({}, {}, keep, wallet);
}

async function ofKeys(count: number): Promise<readonly Executed[]> {
  const many: Executed[] = [];
  for (let index = 0; index < count; index++) many.push(await settling.executed());
  return many;
}

function settleAll(many: readonly Executed[]) {
  return Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
}

async function isHeldBack({ payment }: Executed): Promise<boolean> {
  const now = systemClock.nowSeconds();
  const nonce = `0x${'5a'.repeat(32)}` as Bytes32;
  const claim = { ...payment, authorization: { ...payment.authorization, nonce }, leaseUntil: now };
  const reading = { balance: payerFunds, block: 1, readAt: now };
  return (await settling.store.reserve(claim, reading, now)).kind === 'blocked';
}

describe('A contract wallet', () => {
  it.each([0, 200, walletSignatureBytesMax - 65])(
    'pays alone, with %i bytes after the signature of its owner (D-293)',
    async (extraBytes) => {
      const before = await received();
      const executed = await ofWallet('honest', extraBytes);
      expect(await settleAll([executed])).toEqual([settled]);
      expect((await received()) - before).toBe(price);
      expect(settling.sent()).toHaveLength(1);
    },
  );

  it('pays in one transaction with payers who sign by key', async () => {
    const before = await received();
    const many = [await ofWallet('honest'), ...(await ofKeys(crowd)), await ofWallet('honest', 0)];
    const settlements = await settleAll(many);
    expect(settlements).toEqual(Array(crowd + 2).fill(settled));
    expect(new Set(settlements.map((each) => each.state === 'settled' && each.txHash)).size).toBe(1);
    expect((await received()) - before).toBe(price * BigInt(crowd + 2));
  });

  it('that is a delegated account pays with a signature that only its code accepts (EIP-7702)', async () => {
    const payer = await bench.devnet.fundPayer(payerFunds);
    await delegate(bench.rpc, bench.devnet.chainId, payer, 'accepts');
    const passkey = () => keepWalletSignature(`0x${'ab'.repeat(300)}` as Hex);
    expect(await settleAll([await settling.executed({}, {}, passkey, payer)])).toEqual([settled]);
  });

  it('that rejects the signature is refused', async () => {
    const wallet = await deployTestWallet(bench.rpc, bench.devnet, 'honest', payerFunds);
    const forged = () => keepWalletSignature(`0x${'ab'.repeat(65)}` as Hex);
    const executed = await settling.executed({}, {}, forged, wallet);
    expect(await settleAll([executed])).toEqual([reverted]);
  });
});

describe('A hostile wallet among payers who sign by key', () => {
  it.each(['burnsGas', 'burnsGasInTransactions', 'revertsInTransactions', 'revertsWithMuchData'] as const)(
    'that %s is refused and held back, and the others settle at once (D-293)',
    async (conduct) => {
      const before = await received();
      const many = [...(await ofKeys(crowd)), await ofWallet(conduct, walletSignatureBytesMax - 65)];
      const settlements = await settleAll(many);
      expect(settlements).toEqual([...Array(crowd).fill(settled), reverted]);
      const others = settlements.slice(0, crowd);
      expect(new Set(others.map((each) => each.state === 'settled' && each.txHash)).size).toBe(1);
      expect((await received()) - before).toBe(price * BigInt(crowd));
      const [adversary] = many.slice(-1);
      expect(adversary && (await isHeldBack(adversary))).toBe(true);
      expect(settling.sent().length).toBeLessThanOrEqual(2);
    },
  );

  it.each(['returnsMuchData', 'reenters'] as const)(
    'that %s gains nothing: it pays once like the others (D-293)',
    async (conduct) => {
      const before = await received();
      const many = [...(await ofKeys(crowd)), await ofWallet(conduct)];
      expect(await settleAll(many)).toEqual(Array(crowd + 1).fill(settled));
      expect((await received()) - before).toBe(price * BigInt(crowd + 1));
      const [adversary] = many.slice(-1);
      expect(adversary && (await bench.balanceOf(adversary.payer.address))).toBe(payerFunds - price);
    },
  );

  it('of every kind together takes no place in time from the others', async () => {
    const before = await received();
    const hostile: Executed[] = [];
    for (const conduct of ['burnsGas', 'revertsWithMuchData', 'takesEvenBlocks', 'reenters'] as const)
      hostile.push(await ofWallet(conduct));
    const honest = await ofKeys(crowd);
    const all = settleAll([...honest, ...hostile]);
    const settlements = (await all).slice(0, crowd);
    expect(settlements).toEqual(Array(crowd).fill(settled));
    expect(new Set(settlements.map((each) => each.state === 'settled' && each.txHash)).size).toBe(1);
    const paid = (await all).filter(({ state }) => state === 'settled').length;
    expect((await received()) - before).toBe(price * BigInt(paid));
  });
});

it('More wallets than fit leave the places of a transaction to keys, and settle in the next ones (D-293)', async () => {
  const many: Executed[] = [];
  for (let index = 0; index < 12; index++) many.push(await ofWallet('honest', walletSignatureBytesMax - 65));
  const late = BigInt(systemClock.nowSeconds()) + 7_200n;
  for (let index = 0; index < crowd; index++) many.push(await settling.executed({ validBefore: late }));
  await settling.close();
  settling = await bench.openSettling({ after: settling, limits: { batchMax: 16 } });
  const settlements = await settleAll(many);
  expect(settlements).toEqual(Array(many.length).fill(settled));
  const [first] = settlements;
  const ofKey = settlements.slice(12).map((each) => each.state === 'settled' && each.txHash);
  expect(new Set(ofKey)).toEqual(new Set([first?.state === 'settled' && first.txHash]));
});

it('A wallet whose long signature the gas balance does not cover waits, and payers who sign by key do not', async () => {
  await settling.close();
  settling = await bench.openSettling({ settlementWaitMs: 300 });
  const wallet = await ofWallet('honest', walletSignatureBytesMax - 65);
  const [key] = await ofKeys(1);
  if (!key) throw new Error('no payment');
  const fund = (wei: bigint) =>
    ask(bench.rpc, 'anvil_setBalance', [settling.relayer, `0x${wei.toString(16)}`]);
  const { baseFeePerGas } = await ask<{ baseFeePerGas: string }>(bench.rpc, 'eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  const gas = singleGas + 2_000n;
  await fund(gas * (2n * BigInt(baseFeePerGas) + 10_000_000n));
  const waiting = settling.settler.settle(wallet.payment);
  await expect.poll(() => settling.settler.settle(key.payment)).toMatchObject({ state: 'settled' });
  expect(await waiting).toEqual({ state: 'unknown' });
  expect(settling.sent()).toHaveLength(1);
  await fund(10n ** 18n);
  await expect.poll(() => settling.settler.settle(wallet.payment)).toMatchObject({ state: 'settled' });
});

it('A wallet that needs more ether than a node sees does not delay payers who sign by key (D-60)', async () => {
  await settling.close();
  settling = await bench.openSettling({ settlementWaitMs: 300 });
  bench.node.conduct = (method, body) => {
    const sent = settling.sent().find(({ serialized }) => body.includes(serialized));
    const isLarge = sent !== undefined && sent.gasLimit > singleGas;
    return method === 'eth_sendRawTransaction' && isLarge ? 'wants-ether' : 'sound';
  };
  const wallet = await ofWallet('honest', walletSignatureBytesMax - 65);
  const { payment } = wallet;
  expect(await settling.settler.settle(payment)).toEqual({ state: 'unknown' });
  for (const key of await ofKeys(2)) {
    expect(await settling.settler.healthIssue()).toBeNull();
    expect(await settling.settler.settle(key.payment)).toEqual(settled);
  }
  bench.node.conduct = () => 'sound';
  await expect.poll(() => settling.settler.settle(payment)).toEqual(settled);
});

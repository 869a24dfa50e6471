import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import {
  type accountCode,
  delegate,
  guardedTokenCode,
  setBlocked,
  setPaused,
  setPauseManner,
} from '../testing/chain/guarded-token.ts';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  type SettlingOptions,
  startBench,
} from '../testing/settlement/settlement.ts';
import { randomAddress } from '../testing/store/claims.ts';
import { systemClock } from '../types/clock.ts';
import type { Bytes32 } from '../types/units.ts';

// A token like FiatToken v2.2 calls a payer's own code, has a blocklist, and can be paused (D-135 to D-137).

let bench: Bench;
let settling: Settling;

beforeAll(async () => {
  bench = await startBench('pruned', guardedTokenCode);
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  settling = await bench.openSettling();
});
afterEach(async () => {
  await settling.close();
  await setPaused(bench.rpc, bench.devnet.token.address, false);
  await setPauseManner(bench.rpc, bench.devnet.token.address, 'reverts');
});

const crowd = 12;
const reverted = { state: 'refused', reason: 'invalid_transaction_state' } as const;
const received = () => bench.balanceOf(bench.devnet.payTo);

async function executedMany(count: number): Promise<readonly Executed[]> {
  const many: Executed[] = [];
  for (let index = 0; index < count; index++) many.push(await settling.executed());
  return many;
}

function settleAll(many: readonly Executed[]) {
  return Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
}

function delegateTo(code: keyof typeof accountCode, { payer }: Executed): Promise<void> {
  return delegate(bench.rpc, bench.devnet.chainId, payer, code);
}

async function reopen(options: SettlingOptions): Promise<void> {
  await settling.close();
  settling = await bench.openSettling(options);
}

/** Returns whether the store blocks another reservation of the payer. */
async function isHeldBack({ payment }: Executed): Promise<boolean> {
  const now = systemClock.nowSeconds();
  const nonce = `0x${'5a'.repeat(32)}` as Bytes32;
  const claim = { ...payment, authorization: { ...payment.authorization, nonce }, leaseUntil: now };
  const reading = { balance: payerFunds, block: 1, readAt: now };
  return (await settling.store.reserve(claim, reading, now)).kind === 'blocked';
}

describe('A payer with code', () => {
  it('that accepts the signature pays, in the overload with v, r and s (D-135)', async () => {
    const [executed] = await executedMany(1);
    if (!executed) throw new Error('no payment');
    await delegateTo('accepts', executed);
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
  });

  it.each(['burnsGas', 'burnsGasInTransactions', 'revertsInTransactions'] as const)(
    'that %s takes no gas from other payments of its batch: they all settle at once (D-135)',
    async (code) => {
      const before = await received();
      const many = await executedMany(crowd);
      const adversary = many[3];
      if (!adversary) throw new Error('no payment');
      await delegateTo(code, adversary);
      const settlements = await settleAll(many);
      const others = settlements.filter((_, index) => index !== 3);
      expect(others.map(({ state }) => state)).toEqual(Array(crowd - 1).fill('settled'));
      expect(new Set(others.map((each) => each.state === 'settled' && each.txHash)).size).toBe(1);
      expect((await received()) - before).toBe(price * BigInt(crowd - 1));
      expect(settlements[3]).toEqual(reverted);
      expect(await isHeldBack(adversary)).toBe(true);
      // At most two transactions were sent for it, whatever a simulation returns.
      expect(settling.sent().length).toBeLessThanOrEqual(2);
    },
  );
});

describe('A payer on the blocklist', () => {
  it('is refused after one transaction and cannot buy for a while (D-136)', async () => {
    const [blocked, honest] = await executedMany(2);
    if (!blocked || !honest) throw new Error('no payment');
    await setBlocked(bench.rpc, bench.devnet.token.address, blocked.payer.address, true);
    expect(await settleAll([blocked, honest])).toEqual([
      reverted,
      expect.objectContaining({ state: 'settled' }),
    ]);
    expect(settling.sent()).toHaveLength(1);
    expect(await isHeldBack(blocked)).toBe(true);
    expect(await isHeldBack(honest)).toBe(false);
  });
});

it('A batch that moved nothing is read in a few calls, however many payments it has (D-359)', async () => {
  const many = await executedMany(crowd);
  for (const { payer } of many) await setBlocked(bench.rpc, bench.devnet.token.address, payer.address, true);
  let calls = 0;
  bench.node.conduct = (method) => {
    if (method === 'eth_call') calls += 1;
    return 'sound';
  };
  expect(await settleAll(many)).toEqual(Array(crowd).fill(reverted));
  bench.node.conduct = () => 'sound';
  expect(calls).toBeLessThan(crowd);
});

it('A node that cannot simulate is reported, and still settles a payment (D-136)', async () => {
  bench.node.conduct = (method, body) =>
    method === 'eth_call' && !body.includes('"to"') ? 'fails' : 'sound';
  expect(await settling.settler.healthIssue()).toMatch(/^transfers cannot be simulated: /);
  const { payment } = await settling.executed();
  expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  bench.node.conduct = () => 'sound';
  expect(await settling.settler.healthIssue()).toBeNull();
});

/** EVM code that returns true to a transfer, which has 68 bytes of calldata, and runs `otherwise` for other calls. */
function codeOfToken(otherwise: string): string {
  const start = (7 + otherwise.length / 2).toString(16).padStart(2, '0');
  return `0x3660441460${start}57${otherwise}5b600160005260206000f3`;
}

describe('A token whose code was replaced', () => {
  const returnsOther = `7f${'ab'.repeat(32)}60005260206000f3`;
  const reverts = '60006000fd';

  it.each([
    ['has another EIP-712 domain', returnsOther],
    ['has no EIP-712 domain', reverts],
  ])('and %s is reported (D-137)', async (_what, otherwise) => {
    const asset = bench.devnet.token.address;
    const before = await ask<string>(bench.rpc, 'eth_getCode', [asset, 'latest']);
    await ask(bench.rpc, 'anvil_setCode', [asset, codeOfToken(otherwise)]);
    expect(await settling.settler.healthIssue()).toMatch(/^the EIP-712 domain of the payment token/);
    await ask(bench.rpc, 'anvil_setCode', [asset, before]);
    expect(await settling.settler.healthIssue()).toBeNull();
  });
});

describe('While the token takes no transfers', () => {
  it.each([
    ['because it is paused', (isOn: boolean) => setPaused(bench.rpc, bench.devnet.token.address, isOn)],
    [
      'to the recipient, which is on the blocklist',
      (isOn: boolean) => setBlocked(bench.rpc, bench.devnet.token.address, bench.devnet.payTo, isOn),
    ],
  ] as const)(
    '%s, payments wait, payers stay free to buy, and few transactions are sent (D-137)',
    async (_why, set) => {
      await reopen({ settlementWaitMs: 300, limits: { resendMs: 20 } });
      const many = await executedMany(3);
      const before = await received();
      await set(true);
      expect(await settleAll(many)).toEqual(Array(3).fill({ state: 'unknown' }));
      expect(await settling.settler.healthIssue()).toMatch(/^the payment token takes no transfers to 0x/);
      expect(settling.sent().length).toBeLessThanOrEqual(1);
      for (const each of many) expect(await isHeldBack(each)).toBe(false);
      await set(false);
      for (const { payment } of many)
        await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
      expect(await settling.settler.healthIssue()).toBeNull();
      expect((await received()) - before).toBe(price * 3n);
    },
  );

  it('to one recipient, payments to another settle, however many payments wait (D-176)', async () => {
    await reopen({ settlementWaitMs: 300, limits: { resendMs: 20, batchMax: 2 } });
    const waiting = await executedMany(5);
    await setBlocked(bench.rpc, bench.devnet.token.address, bench.devnet.payTo, true);
    expect(await settleAll(waiting)).toEqual(Array(5).fill({ state: 'unknown' }));
    const { payment } = await settling.executed({ to: randomAddress() });
    await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    await setBlocked(bench.rpc, bench.devnet.token.address, bench.devnet.payTo, false);
    for (const each of waiting)
      await expect.poll(() => settling.settler.settle(each.payment)).toMatchObject({ state: 'settled' });
  });

  it('an expired payment is refused, and its payer may buy again (D-137)', async () => {
    await setPaused(bench.rpc, bench.devnet.token.address, true);
    const executed = await settling.executed({ validBefore: BigInt(systemClock.nowSeconds()) + 2n });
    const settled = settling.settler.settle(executed.payment);
    const stateInNewBlock = async () => {
      await ask(bench.rpc, 'evm_mine', []);
      return (await settling.store.find(executed.payment.id))?.state;
    };
    await expect.poll(stateInNewBlock, { timeout: 20_000, interval: 100 }).toBe('expired');
    expect(await settled).toEqual({ state: 'refused', reason: 'payment_expired' });
    expect(await isHeldBack(executed)).toBe(false);
  });
});

describe('While the token reports success for transfers that move nothing (D-161)', () => {
  beforeEach(async () => {
    await reopen({ settlementWaitMs: 300, limits: { resendMs: 20 } });
    await setPauseManner(bench.rpc, bench.devnet.token.address, 'does-nothing');
    await setPaused(bench.rpc, bench.devnet.token.address, true);
  });

  it('the health reports the token, nothing is sent, and payments settle when the pause ends', async () => {
    const { payment } = await settling.executed();
    expect(await settling.settler.healthIssue()).toMatch(/^the payment token takes no transfers to 0x/);
    expect(await settling.settler.settle(payment)).toEqual({ state: 'unknown' });
    expect(settling.sent()).toHaveLength(0);
    await setPaused(bench.rpc, bench.devnet.token.address, false);
    await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  });

  it('a payment is not settled without the logs of a transfer, and is sent twice at most', async () => {
    const before = await received();
    const { payment } = await settling.executed();
    const state = async () => {
      await settling.settler.settle(payment);
      return (await settling.store.find(payment.id))?.state;
    };
    await expect.poll(state, { timeout: 20_000 }).toBe('failed');
    expect(settling.sent().length).toBeLessThanOrEqual(2);
    expect(await received()).toBe(before);
  });
});

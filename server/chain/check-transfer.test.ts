import { randomBytes } from 'node:crypto';
import { chainId } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, type FundedPayer, startDevnet } from '../devnet/devnet.ts';
import {
  delegate,
  guardedTokenCode,
  setBlocked,
  setPaused,
  setPauseManner,
} from '../testing/chain/guarded-token.ts';
import { randomAddress } from '../testing/store/claims.ts';
import type { Authorization } from '../types/authorization.ts';
import { systemClock } from '../types/clock.ts';
import { atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { createTransferCheck, findStopped } from './check-transfer.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import type { Rpc } from './rpc.ts';
import { batchCallsMax } from './transfer-batch.ts';

let devnet: Devnet;
let rpc: HttpRpc;
beforeAll(async () => {
  devnet = await startDevnet({ chainId, tokenCode: guardedTokenCode });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 10_000, responseBytesMax: 1_048_576 });
});
afterEach(() => setPaused(rpc, devnet.token.address, false));
afterAll(async () => {
  await rpc.close();
  await devnet.stop();
});

type Signed = { readonly authorization: Authorization; readonly signature: Hex };

async function signed(payer: FundedPayer, change: Partial<Authorization> = {}): Promise<Signed> {
  const authorization: Authorization = {
    from: payer.address,
    to: devnet.payTo,
    value: atomicAmount(1_000n),
    validAfter: 0n,
    validBefore: BigInt(systemClock.nowSeconds()) + 3_600n,
    nonce: `0x${randomBytes(32).toString('hex')}` as Bytes32,
    ...change,
  };
  const domain = paymentDomain({ asset: devnet.token.address, extra: devnet.token });
  const wallet = new Wallet(payer.privateKey);
  const signature = (await wallet.signTypedData(
    domain,
    transferWithAuthorizationTypes,
    authorization,
  )) as Hex;
  return { authorization, signature };
}

/** The chain, with a count of its calls. */
function counted(): { readonly rpc: Rpc; readonly calls: () => number } {
  let calls = 0;
  const call: Rpc['call'] = (...parameters) => {
    calls += 1;
    return rpc.call(...parameters);
  };
  return { rpc: { call }, calls: () => calls };
}

function checkAll(through: Rpc, transfers: readonly Signed[]) {
  const check = createTransferCheck(through, devnet.token.address);
  return Promise.all(transfers.map(({ authorization, signature }) => check(authorization, signature)));
}

describe('A simulated transfer (D-136)', () => {
  it('passes or reverts independently of the others when a payer has code that burns gas, in one call', async () => {
    const payers = await Promise.all(Array.from({ length: 4 }, () => devnet.fundPayer()));
    const poor = await devnet.fundPayer(atomicAmount(1n));
    const [burner] = payers;
    if (!burner) throw new Error('no payer');
    await delegate(rpc, chainId, burner, 'burnsGas');
    const transfers = await Promise.all([...payers, poor].map((payer) => signed(payer)));
    const chain = counted();
    expect(await checkAll(chain.rpc, transfers)).toEqual([
      'reverts',
      'passes',
      'passes',
      'passes',
      'reverts',
    ]);
    expect(chain.calls()).toBe(1);
  });

  it('may revert beside others that use up the balance of its payer, and passes in a call of its own', async () => {
    const payer = await devnet.fundPayer(atomicAmount(1_000n));
    const transfers = [await signed(payer), await signed(payer), await signed(payer)];
    expect(await checkAll(rpc, transfers)).toEqual(['passes', 'reverts', 'reverts']);
    const check = createTransferCheck(rpc, devnet.token.address);
    const alone = transfers.map(({ authorization, signature }) => check(authorization, signature, true));
    expect(await Promise.all(alone)).toEqual(['passes', 'passes', 'passes']);
  });

  it('shares one call with as many others as a batch has', async () => {
    const one = await signed(devnet.payer);
    const chain = counted();
    // One place of the batch has the transfer of zero tokens, which shows whether the token is stopped.
    const checks = await checkAll(chain.rpc, Array<Signed>(batchCallsMax - 1).fill(one));
    // All have one nonce, and the token accepts a nonce once.
    expect(checks.filter((check) => check === 'passes')).toHaveLength(1);
    expect(chain.calls()).toBe(1);
  });

  it('of many recipients needs a few calls, each no larger than a batch', async () => {
    const recipients = await Promise.all(
      Array.from({ length: 60 }, () => signed(devnet.payer, { to: randomAddress() })),
    );
    const chain = counted();
    expect(await checkAll(chain.rpc, recipients)).toEqual(Array(60).fill('passes'));
    expect(chain.calls()).toBe(2);
  });

  it('is stopped, not reverted, when the token rejects every transfer', async () => {
    const transfer = await signed(devnet.payer);
    await setPaused(rpc, devnet.token.address, true);
    expect(await checkAll(rpc, [transfer])).toEqual(['stopped']);
    await setPaused(rpc, devnet.token.address, false);
    expect(await checkAll(rpc, [transfer])).toEqual(['passes']);
  });

  it.each([
    ['returns-false', 'stopped'],
    // The signed transfer itself succeeds and moves nothing.
    ['does-nothing', 'passes'],
  ] as const)(
    'of a paused token whose transfer %s: the gateway finds that the token is stopped (D-161)',
    async (manner, check) => {
      const transfer = await signed(devnet.payer);
      const { address } = devnet.token;
      await setPauseManner(rpc, address, manner);
      await setPaused(rpc, address, true);
      expect(await checkAll(rpc, [transfer])).toEqual([check]);
      expect(await findStopped(rpc, address, [devnet.payTo])).toEqual({ ok: true, value: [devnet.payTo] });
      await setPaused(rpc, address, false);
      await setPauseManner(rpc, address, 'reverts');
      expect(await findStopped(rpc, address, [devnet.payTo])).toEqual({ ok: true, value: [] });
    },
  );

  it('is stopped while the account of the token has no code (D-161)', async () => {
    const transfer = await signed(devnet.payer);
    const { address } = devnet.token;
    const code = await rpc.call<string>('eth_getCode', [address, 'latest']);
    if (!code.ok) throw new Error(code.fault.message);
    await rpc.call('anvil_setCode', [address, '0x']);
    expect(await checkAll(rpc, [transfer])).toEqual(['stopped']);
    expect(await findStopped(rpc, address, [devnet.payTo])).toEqual({ ok: true, value: [devnet.payTo] });
    await rpc.call('anvil_setCode', [address, code.value]);
    expect(await checkAll(rpc, [transfer])).toEqual(['passes']);
    expect(await findStopped(rpc, address, [devnet.payTo])).toEqual({ ok: true, value: [] });
  });

  it('is stopped for a blocked recipient, and reverts for a blocked payer', async () => {
    const [blocked, recipient] = await Promise.all([devnet.fundPayer(), devnet.fundPayer()]);
    for (const { address } of [blocked, recipient])
      await setBlocked(rpc, devnet.token.address, address, true);
    const transfers = await Promise.all([
      signed(blocked),
      signed(devnet.payer, { to: recipient.address }),
      signed(devnet.payer),
    ]);
    expect(await checkAll(rpc, transfers)).toEqual(['reverts', 'stopped', 'passes']);
    const found = await findStopped(rpc, devnet.token.address, [recipient.address, devnet.payTo]);
    expect(found).toEqual({ ok: true, value: [recipient.address] });
  });

  it('is unknown outside its window, where the newest block says nothing about the payer', async () => {
    const now = BigInt(systemClock.nowSeconds());
    const transfers = [
      await signed(devnet.payer, { validAfter: now + 3_600n, validBefore: now + 7_200n }),
      await signed(devnet.payer, { validBefore: 1n }),
    ];
    expect(await checkAll(rpc, transfers)).toEqual(['unknown', 'unknown']);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['an empty result', '0x'],
    ['a report of another length', `0x${'00'.repeat(33)}00`],
    ['bytes that are no flags', `0x${'00'.repeat(32)}07`],
  ])('is unknown when the node returns %s', async (_name, result) => {
    const node: Rpc = { call: <T>() => Promise.resolve({ ok: true, value: result as T }) };
    expect(await checkAll(node, [await signed(devnet.payer)])).toEqual(['unknown']);
  });

  it('is unknown while the node does not respond, and passes on the next check', async () => {
    let isOut = true;
    const node: Rpc = {
      call: (...parameters) =>
        isOut
          ? Promise.resolve({ ok: false, fault: { kind: 'unavailable', message: 'gone' } })
          : rpc.call(...parameters),
    };
    const { authorization, signature } = await signed(devnet.payer);
    const check = createTransferCheck(node, devnet.token.address);
    expect(await check(authorization, signature)).toBe('unknown');
    isOut = false;
    expect(await check(authorization, signature)).toBe('passes');
  });

  it('waits for a busy node, so that a thousand transfers need few calls', async () => {
    const { authorization, signature } = await signed(devnet.payer);
    const chain = counted();
    const held = Promise.withResolvers<void>();
    const busy: Rpc = {
      call: async (...parameters) => {
        await held.promise;
        return chain.rpc.call(...parameters);
      },
    };
    const check = createTransferCheck(busy, devnet.token.address);
    const checks: Promise<unknown>[] = [];
    for (let count = 0; count < 1_000; count++) {
      checks.push(check(authorization, signature));
      await new Promise((turn) => setImmediate(turn));
    }
    held.resolve();
    await Promise.all(checks);
    // Eight calls were under way; the rest went in batches.
    expect(chain.calls()).toBeLessThan(20);
  });
});

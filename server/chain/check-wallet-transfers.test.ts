import { chainId } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { guardedTokenCode, setPaused } from '../testing/chain/guarded-token.ts';
import { openStartedGateways } from '../testing/started-gateways.ts';
import type { Hex } from '../types/units.ts';
import { checkWalletTransfers } from './check-wallet-transfers.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import { multicallAddress } from './multicall.ts';

// Contract wallets need a token with the overload of FiatToken v2.2 (D-293).

/** The guarded token with another selector in the place of the overload's. */
const withoutOverload = guardedTokenCode.replaceAll('cf092995', 'cf092996') as Hex;

async function withToken(code: Hex | undefined, check: (devnet: Devnet, rpc: HttpRpc) => Promise<void>) {
  const devnet = await startDevnet({ chainId, ...(code && { tokenCode: code }) });
  const rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 10_000, responseBytesMax: 65_536 });
  try {
    await check(devnet, rpc);
  } finally {
    await rpc.close();
    await devnet.stop();
  }
}

describe('The token', () => {
  it.each([
    ['PaymentToken', undefined],
    ['a token like FiatToken v2.2, also while it is paused', guardedTokenCode],
  ] as const)('%s has the overload', (_name, code) =>
    withToken(code, async ({ token }, rpc) => {
      if (code) await setPaused(rpc, token.address, true);
      expect(await checkWalletTransfers(rpc, token.address)).toBeNull();
    }),
  );

  it.each([
    ['lacks the function', null],
    ['takes every call without an effect', '0x00'],
    ['reverts every call with the same reason', '0x6001600052602060006000fd'],
  ] as const)('that %s has no overload', (_name, code) =>
    withToken(withoutOverload, async ({ token }, rpc) => {
      if (code) await ask(rpc, 'anvil_setCode', [token.address, code]);
      expect(await checkWalletTransfers(rpc, token.address)).toMatch(/has no transferWithAuthorization/);
    }),
  );

  it('cannot be checked without Multicall3', () =>
    withToken(undefined, async ({ token }, rpc) => {
      await ask(rpc, 'anvil_setCode', [multicallAddress, '0x']);
      expect(await checkWalletTransfers(rpc, token.address)).toMatch(/cannot check/);
    }));
});

describe('A gateway on a token without the overload', () => {
  let gateways: Awaited<ReturnType<typeof openStartedGateways>>;
  beforeAll(async () => {
    gateways = await openStartedGateways(withoutOverload);
  });
  afterAll(() => gateways.close());

  it('does not start with contractWallets, and starts without', async () => {
    const refused = await gateways.start({}, undefined, undefined, { contractWallets: true });
    expect(refused).toEqual({ ok: false, fault: [expect.stringContaining('advanced.contractWallets')] });
    const started = await gateways.start();
    expect(started.ok).toBe(true);
    if (started.ok) await started.value.stop();
  });
});

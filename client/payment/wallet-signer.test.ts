import { chainId } from '@paid-inference/contract/constants';
import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { createPayer } from '../pay.ts';
import { chatInit, setStage } from '../testing/exchange.ts';
import { createInjectedWallet, type WalletHabits } from '../testing/injected-wallet.ts';
import { signerFromProvider, type WalletOptions } from './wallet-signer.ts';

const onChain: WalletHabits = { chainId, chains: [1, chainId] };
const elsewhere: WalletHabits = { ...onChain, chainId: 1 };

/** Buys a completion with an injected wallet. */
async function buy(habits: WalletHabits, options: WalletOptions = {}) {
  await using stage = await setStage();
  const wallet = createInjectedWallet(new Wallet(stage.wallet.privateKey), habits);
  const payer = createPayer({ ...stage.options(), signer: signerFromProvider(wallet, options) });
  const exchange = await payer.exchange(stage.chatUrl, chatInit);
  const { charges } = stage.gateway.store;
  return {
    exchange,
    charges,
    signed: payer.amountSigned(),
    methods: wallet.methods,
  };
}

describe('A wallet of EIP-1193', () => {
  it('pays with its first account, on the chain of the payment', async () => {
    const { exchange, charges, methods } = await buy(onChain);
    expect(exchange).toMatchObject({ kind: 'responded', payment: { state: 'settled' } });
    expect(charges).toHaveLength(1);
    expect(methods).toEqual(['eth_requestAccounts', 'eth_chainId', 'eth_signTypedData_v4']);
  });

  it('switches to the chain of the payment', async () => {
    const { charges, methods } = await buy(elsewhere);
    expect(charges).toHaveLength(1);
    expect(methods).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_signTypedData_v4',
    ]);
  });

  it('pays with the wanted account, in any letter case', async () => {
    await using stage = await setStage();
    const wallet = createInjectedWallet(new Wallet(stage.wallet.privateKey), onChain);
    const signer = signerFromProvider(wallet, {
      address: stage.wallet.address.toUpperCase().replace('X', 'x'),
    });
    expect(await signer.getAddress()).toBe(stage.wallet.address);
  });

  const another = `0x${'ab'.repeat(20)}`;
  const sign = 'eth_signTypedData_v4';
  it.each<[string, WalletHabits, WalletOptions, string]>([
    [
      'rejects the signature',
      { ...onChain, rejects: sign },
      {},
      `the user rejected ${sign} (4001): User rejected the request.`,
    ],
    [
      'rejects the page',
      { ...onChain, rejects: 'eth_requestAccounts' },
      {},
      'the user rejected eth_requestAccounts (4001): User rejected the request.',
    ],
    [
      'rejects the chain',
      { ...elsewhere, rejects: 'wallet_switchEthereumChain' },
      {},
      'the user rejected wallet_switchEthereumChain (4001): User rejected the request.',
    ],
    [
      'lacks the chain',
      { ...elsewhere, chains: [1] },
      {},
      'the wallet does not know the chain 0x14a34: add it to the wallet',
    ],
    [
      'stays on another chain',
      { ...elsewhere, pretendsToSwitch: true },
      {},
      'the wallet is on the chain 0x1, and the payment is on 0x14a34',
    ],
    [
      'has another account',
      onChain,
      { address: another },
      `the wallet does not give this page the account ${another}: select it in the wallet`,
    ],
    [
      'gives no account',
      { ...onChain, results: { eth_requestAccounts: [] } },
      {},
      'the wallet gives this page no account',
    ],
    [
      'lost the account',
      { ...onChain, results: { eth_requestAccounts: [another] } },
      {},
      `the user has not authorized ${sign} (4100): The account is not connected`,
    ],
    [
      'returns no chain',
      { ...onChain, results: { eth_chainId: null } },
      {},
      'the wallet returned no chain id',
    ],
    [
      'returns no signature',
      { ...onChain, results: { [sign]: '0x' } },
      {},
      'the wallet returned no signature',
    ],
    [
      'fails with its own error',
      { ...onChain, failing: { method: sign, value: new Error('the device is locked') } },
      {},
      'the device is locked',
    ],
    [
      'fails with a text',
      { ...onChain, failing: { method: sign, value: 'locked' } },
      {},
      `the wallet failed at ${sign}`,
    ],
    [
      'never responds',
      { ...onChain, silent: sign },
      { waitMs: 20 },
      `the wallet did not respond to ${sign} within 20 ms`,
    ],
  ])('that %s pays nothing, and the refusal has the reason', async (_, habits, options, message) => {
    const { exchange, charges, signed } = await buy(habits, options);
    expect(exchange).toMatchObject({
      kind: 'refused',
      refusal: { reason: 'signer_failed', message: `the wallet did not sign: ${message}` },
    });
    expect(charges).toEqual([]);
    expect(signed).toBe(0n);
  });
});

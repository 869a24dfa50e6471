import { chainId, headerNames } from '@paid-inference/contract/constants';
import { expect, it } from 'vitest';
import { openRpc } from '../bench/targets/mining.ts';
import { createPaymentSigner } from '../bench/targets/payments.ts';
import { ask } from '../devnet/deployer.ts';
import { startDevnet } from '../devnet/devnet.ts';
import { sendAsThirdParty } from '../testing/chain/send-as-third-party.ts';
import { followTransfers } from './transfers.ts';

it('knows a transfer whose block the chain has forgotten', async () => {
  await using opened = new AsyncDisposableStack();
  const devnet = await startDevnet({ chainId, blocksKeptMax: 4 });
  opened.defer(() => devnet.stop());
  const rpc = opened.use(openRpc(devnet.rpcUrl));
  const sign = await createPaymentSigner(devnet);
  const transfer = async () => {
    const payload = sign();
    const header = Buffer.from(JSON.stringify({ payload })).toString('base64');
    const hash = await sendAsThirdParty({ devnet, rpc }, { [headerNames.payment]: header });
    return { nonce: payload.authorization.nonce, hash };
  };
  const transfers = opened.use(followTransfers(devnet));
  const first = await transfer();
  expect(await transfers.readNonces()).toEqual([first.nonce]);
  for (let block = 0; block < 8; block++) await ask(rpc, 'evm_mine', []);
  expect(await ask(rpc, 'eth_getTransactionReceipt', [first.hash])).toBe(null);
  const second = await transfer();
  expect(await transfers.readNonces()).toEqual([first.nonce, second.nonce]);
});

it('throws when it cannot read the chain', async () => {
  const devnet = await startDevnet({ chainId });
  await using transfers = followTransfers(devnet);
  await devnet.stop();
  await expect(transfers.readNonces()).rejects.toThrow();
});

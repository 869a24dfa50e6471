import { Contract, JsonRpcProvider, Signature, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import artifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { chatBody, chatPath, offerOf, paymentFor, post } from '../testing/test-payer.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

/** Somebody sends a payer's authorization to the token, as anybody may. */
async function sendElsewhere(header: string): Promise<void> {
  const { devnet, rpc } = gateway;
  const { signature, authorization } = JSON.parse(Buffer.from(header, 'base64').toString()).payload;
  const provider = new JsonRpcProvider(devnet.rpcUrl, devnet.chainId, {
    pollingInterval: 10,
    staticNetwork: true,
  });
  try {
    const stranger = Wallet.createRandom().connect(provider);
    await rpc.call('anvil_setBalance', [stranger.address, '0xde0b6b3a7640000']);
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const { v, r, s } = Signature.from(signature);
    const name =
      'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)';
    const transfer = new Contract(devnet.token.address, artifact.abi, stranger).getFunction(name);
    await (await transfer(from, to, value, validAfter, validBefore, nonce, v, r, s)).wait();
  } finally {
    provider.destroy();
  }
}

it('an authorization that is spent on the chain and unknown to the ledger buys nothing: every one of them is public', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const header = await paymentFor(offerOf(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
  await sendElsewhere(header['X-PAYMENT'] ?? '');
  const answer = await post(chat, chatBody, header);
  expect([answer.status, answer.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  expect(gateway.engine.runs).toBe(0);
});

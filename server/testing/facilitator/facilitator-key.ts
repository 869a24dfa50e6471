import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Contract, JsonRpcProvider, Signature, verifyTypedData, Wallet } from 'ethers';
import artifact from '../../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import type { Devnet } from '../../devnet/devnet.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import type { FacilitatorCall } from './facilitator-call.ts';

/** The key of a fake facilitator, with the checks of a payment. */
export type FacilitatorKey = {
  readonly address: Address;
  readonly sent: Bytes32[];
  /** Returns the x402 reason why the payment would not settle; null when it would. */
  verify(call: FacilitatorCall): Promise<string | null>;
  /** Sends the transfer, without a check. */
  send(call: FacilitatorCall): Promise<Bytes32>;
  /** Returns whether the transaction is in a block and succeeded, within a second. */
  waitFor(transaction: Bytes32): Promise<boolean>;
  close(): Promise<void>;
};

const method =
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)';
const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

export async function openFacilitatorKey({
  rpcUrl,
  chainId,
}: Pick<Devnet, 'rpcUrl' | 'chainId'>): Promise<FacilitatorKey> {
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`, provider);
  await provider.send('anvil_setBalance', [wallet.address, '0xde0b6b3a7640000']);
  const sent: Bytes32[] = [];
  // Sends one transaction after the other, as a facilitator with one key must.
  let last: Promise<unknown> = Promise.resolve();

  return {
    address: wallet.address.toLowerCase() as Address,
    sent,

    async verify({ authorization, asset, payTo, amount, domain, signature }) {
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const now = BigInt((await provider.send('eth_getBlockByNumber', ['pending', false])).timestamp);
      const token = new Contract(asset, artifact.abi, provider);
      const signer = verifyTypedData(
        { ...domain, chainId, verifyingContract: asset },
        authorizationTypes,
        authorization,
        signature,
      );
      if (signer.toLowerCase() !== from) return 'invalid_exact_evm_payload_signature';
      if (to !== payTo) return 'invalid_exact_evm_payload_recipient_mismatch';
      if (value !== amount) return 'invalid_exact_evm_payload_authorization_value_mismatch';
      if (now <= BigInt(validAfter)) return 'invalid_exact_evm_payload_authorization_valid_after';
      if (now >= BigInt(validBefore)) return 'invalid_exact_evm_payload_authorization_valid_before';
      if (await token.getFunction('authorizationState')(from, nonce))
        return 'invalid_exact_evm_nonce_already_used';
      const balance: bigint = await token.getFunction('balanceOf')(from);
      return balance < BigInt(value) ? 'insufficient_funds' : null;
    },

    send({ asset, authorization, signature }) {
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const { v, r, s } = Signature.from(signature);
      const data = new Contract(asset, artifact.abi).interface.encodeFunctionData(method, [
        ...[from, to, value, validAfter, validBefore, nonce],
        ...[v, r, s],
      ]);
      const sending = last.then(async () => {
        const { hash } = await wallet.sendTransaction({ to: asset, data, gasLimit: 150_000n });
        sent.push(hash as Bytes32);
        return hash as Bytes32;
      });
      last = sending.catch(() => undefined);
      return sending;
    },

    async waitFor(transaction) {
      for (let round = 0; round < 100; round++) {
        const receipt = await provider.send('eth_getTransactionReceipt', [transaction]);
        if (receipt !== null) return receipt.status === '0x1';
        await wait(10);
      }
      return false;
    },

    async close() {
      await last;
      provider.destroy();
    },
  };
}

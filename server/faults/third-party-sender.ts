import { chainId, headerNames } from '@paid-inference/contract/constants';
import { decodePaymentObject } from '@paid-inference/contract/headers';
import { Interface, Signature, Transaction, Wallet } from 'ethers';
import { signTransaction } from '../chain/transaction.ts';
import { addressWord, uint256Word } from '../chain/word.ts';
import artifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import type { FundedPayer } from '../devnet/devnet.ts';
import type { Address, Bytes32, Hex } from '../types/units.ts';
import type { Payment } from './buyers.ts';
import type { Chain } from './chain.ts';

const fees = { gasLimit: 200_000n, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
const transferSelector = '0xa9059cbb';
const ether = '0xde0b6b3a7640000';
/** An account without an owner. */
const elsewhere = `0x${'5e'.repeat(20)}` as Address;

const token = new Interface(artifact.abi);
const cancelTypes = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

/** The payer transfers its whole balance to another account. Resolves when the transfer is in a block. */
export async function emptyWallet(chain: Chain, payer: FundedPayer): Promise<void> {
  const everything = await chain.balanceOf(payer.address);
  await callToken(
    chain,
    payer,
    `${transferSelector}${addressWord(elsewhere)}${uint256Word(everything)}` as Hex,
  );
}

/** The payer cancels an authorization (EIP-3009, `cancelAuthorization`). */
export async function takeBack(chain: Chain, payer: FundedPayer, nonce: string): Promise<void> {
  const { name, version, address: verifyingContract } = chain.devnet.token;
  const domain = { name, version, chainId, verifyingContract };
  const message = { authorizer: payer.address, nonce };
  const { v, r, s } = Signature.from(
    await new Wallet(payer.privateKey).signTypedData(domain, cancelTypes, message),
  );
  const values = [payer.address, nonce, v, r, s];
  await callToken(chain, payer, token.encodeFunctionData('cancelAuthorization', values) as Hex);
}

/** The payer sends its own authorization to the chain. */
export async function payDirectly(chain: Chain, payer: FundedPayer, { headers }: Payment): Promise<void> {
  const decoded = decodePaymentObject(headers[headerNames.payment] ?? '');
  if (!decoded.ok) throw new Error(decoded.message);
  const { authorization, signature } = decoded.value.payload;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { v, r, s } = Signature.from(signature);
  const values = [from, to, value, validAfter, validBefore, nonce, v, r, s];
  const name =
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)';
  await callToken(chain, payer, token.encodeFunctionData(name, values) as Hex);
}

async function callToken(chain: Chain, { address, privateKey }: FundedPayer, data: Hex): Promise<void> {
  await chain.ask('anvil_setBalance', address, ether);
  const nonce = Number(await chain.ask('eth_getTransactionCount', address, 'pending'));
  const { raw } = signTransaction(privateKey, {
    chainId,
    nonce,
    to: chain.devnet.token.address,
    data,
    ...fees,
  });
  await chain.ask('eth_sendRawTransaction', raw);
}

/** A third party with the relayer's key uses the nonce of a signed transaction first. */
export async function takeRelayerNonce(chain: Chain, raw: unknown, relayerKey: Bytes32): Promise<void> {
  const { nonce } = Transaction.from(String(raw));
  const mine = signTransaction(relayerKey, { chainId, nonce, to: elsewhere, data: '0x' as Hex, ...fees });
  await chain.ask('eth_sendRawTransaction', mine.raw);
}

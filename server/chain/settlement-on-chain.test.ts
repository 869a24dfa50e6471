import { Interface, Signature, Wallet } from 'ethers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import artifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { type Devnet, type FundedPayer, startDevnet } from '../devnet/devnet.ts';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import type { Authorization } from '../types/authorization.ts';
import { atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { toHex } from './bytes.ts';
import { type SignatureParts, transferWithAuthorizationCalldata } from './calldata.ts';
import { createAuthorizationHasher } from './domain.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import { createKeccak } from './keccak.ts';
import { createPaymentToken, type PaymentToken } from './token.ts';
import { type ReceiptLog, tracePayment } from './token-logs.ts';
import { signTransaction } from './transaction.ts';

// The whole path of one payment over the real parts: ethers signs as a client does; our code hashes, encodes,
// sends and reads on a chain with the real token.

const transferType = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
};

const random = randomValues(testSeed());
const artifactInterface = new Interface(artifact.abi);
let devnet: Devnet;
let rpc: HttpRpc;
let token: PaymentToken;
let payer: FundedPayer;
let relayer: Wallet;
let relayerNonce = 0;

beforeAll(async () => {
  devnet = await startDevnet({ chainId: 84_532 });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_000_000 });
  token = createPaymentToken({ rpc, asset: devnet.token.address });
  relayer = new Wallet(devnet.relayerKey);
});

afterAll(async () => {
  await rpc?.close();
  await devnet?.stop();
});

beforeEach(async () => {
  payer = await devnet.fundPayer(atomicAmount(10_000n));
});

function domain() {
  const { name, version, address: verifyingContract } = devnet.token;
  return { name, version, chainId: devnet.chainId, verifyingContract };
}

function authorization(changes: Partial<Authorization> = {}): Authorization {
  return {
    from: payer.address,
    to: devnet.payTo,
    value: atomicAmount(1_500n),
    validAfter: 0n,
    validBefore: 1n << 40n,
    nonce: random.bytes32(),
    ...changes,
  };
}

async function sign(message: Authorization): Promise<Signature> {
  return Signature.from(await new Wallet(payer.privateKey).signTypedData(domain(), transferType, message));
}

function parts({ v, r, s }: Signature): SignatureParts {
  return { v, r: r as Bytes32, s: s as Bytes32 };
}

/** Sends calldata to the token as the relayer and returns the logs of the transaction. */
async function submit(data: Hex): Promise<readonly ReceiptLog[]> {
  const { raw, hash } = signTransaction(devnet.relayerKey, {
    chainId: devnet.chainId,
    nonce: relayerNonce++,
    to: devnet.token.address,
    data,
    gasLimit: 150_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1n,
  });
  expect(await rpc.call('eth_sendRawTransaction', [raw])).toEqual({ ok: true, value: hash });
  expect((await rpc.call('evm_mine', [])).ok).toBe(true);
  const receipt = await rpc.call<{ logs: ReceiptLog[]; from: string }>('eth_getTransactionReceipt', [hash]);
  if (!receipt.ok) throw new Error(receipt.fault.message);
  expect(receipt.value.from).toBe(relayer.address.toLowerCase());
  return receipt.value.logs;
}

function expected({ from, to, value, nonce }: Authorization) {
  return { asset: devnet.token.address, from, to, value, nonce };
}

test('The client’s digest, our digest and the token’s own domain agree', async () => {
  const message = authorization();
  const keccak = await createKeccak();
  const fields = transferType.TransferWithAuthorization;
  const hasher = createAuthorizationHasher({ keccak, authorizationFields: fields });
  const separator = hasher.domainSeparator(domain());
  expect(await token.domainSeparator()).toEqual({ ok: true, value: separator });

  const digest = toHex(hasher.authorizationDigest(separator, message));
  const signature = await sign(message);
  expect(new Wallet(payer.privateKey).signingKey.sign(digest).serialized).toBe(signature.serialized);
});

test('A signed authorization moves its value once, and its logs show the payment', async () => {
  const message = authorization();
  const logs = await submit(transferWithAuthorizationCalldata(message, parts(await sign(message))));
  expect(tracePayment(logs, expected(message))).toBe('paid');
  expect(await token.balanceOf(payer.address)).toEqual({ ok: true, value: 8_500n });
  expect(await token.authorizationState(payer.address, message.nonce)).toEqual({ ok: true, value: true });
  // The same logs show no other payment.
  expect(tracePayment(logs, { ...expected(message), value: atomicAmount(1_499n) })).toBe('used-otherwise');
  expect(tracePayment(logs, { ...expected(message), nonce: random.bytes32() })).toBe('absent');
});

test('A second settlement reverts and moves nothing', async () => {
  const message = authorization();
  const data = transferWithAuthorizationCalldata(message, parts(await sign(message)));
  await submit(data);
  expect(tracePayment(await submit(data), expected(message))).toBe('absent');
  expect(await token.balanceOf(payer.address)).toEqual({ ok: true, value: 8_500n });

  const { address: to } = devnet.token;
  const simulated = await rpc.call('eth_call', [{ to, data }, 'pending']);
  const used = artifactInterface.encodeErrorResult('ERC3009UsedAuthorization', [message.from, message.nonce]);
  expect(simulated).toMatchObject({ fault: { kind: 'refused', code: 3, data: used } });
});

test('A settlement with any member changed after signing moves nothing and leaves the nonce unspent', async () => {
  const message = authorization();
  const signature = parts(await sign(message));
  const changes: Partial<Authorization>[] = [
    { value: atomicAmount(1_501n) },
    { to: random.address() },
    { validAfter: 1n },
    { validBefore: (1n << 40n) + 1n },
  ];
  for (const change of changes) {
    const tampered = { ...message, ...change };
    const logs = await submit(transferWithAuthorizationCalldata(tampered, signature));
    expect(tracePayment(logs, expected(tampered)), Object.keys(change)[0]).toBe('absent');
  }
  expect(await token.authorizationState(payer.address, message.nonce)).toEqual({ ok: true, value: false });
  expect(await token.balanceOf(payer.address)).toEqual({ ok: true, value: 10_000n });
});

test('A settlement beyond the balance moves nothing and leaves the nonce unspent', async () => {
  const message = authorization({ value: atomicAmount(10_001n) });
  const logs = await submit(transferWithAuthorizationCalldata(message, parts(await sign(message))));
  expect(tracePayment(logs, expected(message))).toBe('absent');
  expect(await token.authorizationState(payer.address, message.nonce)).toEqual({ ok: true, value: false });
});

test('An expired settlement moves nothing, and a nonce signed twice pays only for the settled authorization', async () => {
  const expired = authorization({ validBefore: 1n });
  const logs = await submit(transferWithAuthorizationCalldata(expired, parts(await sign(expired))));
  expect(tracePayment(logs, expected(expired))).toBe('absent');

  const elsewhere = { ...authorization({ nonce: expired.nonce }), to: random.address() };
  const spent = await submit(transferWithAuthorizationCalldata(elsewhere, parts(await sign(elsewhere))));
  expect(tracePayment(spent, expected(elsewhere))).toBe('paid');
  expect(tracePayment(spent, { ...expected(elsewhere), to: devnet.payTo })).toBe('used-otherwise');
});

test('A nonce that the payer cancelled is reported as canceled', async () => {
  const message = authorization();
  const cancelType = {
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  };
  const { address, privateKey } = payer;
  const cancellation = { authorizer: address, nonce: message.nonce };
  const signed = await new Wallet(privateKey).signTypedData(domain(), cancelType, cancellation);
  const { v, r, s } = Signature.from(signed);
  const values = [address, message.nonce, v, r, s];
  const logs = await submit(artifactInterface.encodeFunctionData('cancelAuthorization', values) as Hex);
  expect(tracePayment(logs, expected(message))).toBe('canceled');
  expect(await token.authorizationState(address, message.nonce)).toEqual({ ok: true, value: true });
});

test('The overload with the signature in one piece settles the same payment, and shares its nonces', async () => {
  const message = authorization();
  const { from, to, value, validAfter, validBefore, nonce } = message;
  const signature = await sign(message);
  const overload = 'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)';
  const values = [from, to, value, validAfter, validBefore, nonce];
  const wrong = artifactInterface.encodeFunctionData(overload, [...values, `0x${'11'.repeat(65)}`]);
  expect(tracePayment(await submit(wrong as Hex), expected(message))).toBe('absent');
  const right = artifactInterface.encodeFunctionData(overload, [...values, signature.serialized]);
  expect(tracePayment(await submit(right as Hex), expected(message))).toBe('paid');
  const again = transferWithAuthorizationCalldata(message, parts(signature));
  expect(tracePayment(await submit(again), expected(message))).toBe('absent');
});

test('Two payments of one price are distinguished by their nonces, also when their logs are adjacent', async () => {
  const [first, second] = [authorization(), authorization()];
  const firstLogs = await submit(transferWithAuthorizationCalldata(first, parts(await sign(first))));
  const secondLogs = await submit(transferWithAuthorizationCalldata(second, parts(await sign(second))));
  expect(tracePayment(firstLogs, expected(second))).toBe('absent');
  expect(tracePayment(secondLogs, expected(first))).toBe('absent');
  for (const each of [first, second]) {
    expect(tracePayment([...firstLogs, ...secondLogs], expected(each))).toBe('paid');
  }
});

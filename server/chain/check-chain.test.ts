import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { checkChain } from './check-chain.ts';
import { type AuthorizationHasher, createAuthorizationHasher, type TokenDomain } from './domain.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import { createKeccak } from './keccak.ts';
import { randomValues } from './random-values.ts';
import type { Rpc } from './rpc.ts';

let devnet: Devnet;
let rpc: HttpRpc;
let hasher: AuthorizationHasher;
let configured: TokenDomain;

beforeAll(async () => {
  devnet = await startDevnet({ chainId: 84_532 });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, answerBytesMax: 100_000 });
  const authorizationFields = [
    ...[
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
    ],
    ...['value', 'validAfter', 'validBefore'].map((name) => ({ name, type: 'uint256' })),
    { name: 'nonce', type: 'bytes32' },
  ];
  hasher = createAuthorizationHasher({ keccak: await createKeccak(), authorizationFields });
  const { address, name, version } = devnet.token;
  configured = { name, version, chainId: 84_532, verifyingContract: address };
});

afterAll(async () => {
  await rpc?.close();
  await devnet?.stop();
});

function check(changes: Partial<TokenDomain>): Promise<readonly string[]> {
  return checkChain({ rpc, hasher, domain: { ...configured, ...changes } });
}

test('A chain that is as configured has no fault', async () => {
  expect(await check({})).toEqual([]);
});

test('Another chain id is the only fault told of it, with both numbers', async () => {
  expect(await check({ chainId: 8453 })).toEqual([
    'The node serves chain 84532, and payments are on chain 8453. Set CHAIN_RPC_URL to a node of that chain.',
  ]);
});

test('An address without a contract is a fault that names the address', async () => {
  const verifyingContract = randomValues(1).address();
  expect(await check({ verifyingContract })).toEqual([
    `There is no contract at ${verifyingContract} on chain 84532. Set TOKEN_ADDRESS to the token, or CHAIN_RPC_URL to a node of its chain.`,
  ]);
});

test('Another token name is a fault that tells the right one', async () => {
  expect(await check({ name: 'Other Token' })).toEqual([
    'The token signs under the name "Test Payment Token", and the settings name "Other Token". Set TOKEN_NAME="Test Payment Token".',
  ]);
});

test('Another token version is a fault that tells the right one', async () => {
  expect(await check({ version: '2' })).toEqual([
    'The token signs under the version "1", and the contract has version "2". Set TOKEN_ADDRESS to a token of that version.',
  ]);
});

test('All faults are told at once', async () => {
  const faults = await check({ chainId: 1, name: 'Other Token', version: '2' });
  expect(faults).toEqual([
    expect.stringContaining('payments are on chain 1'),
    expect.stringContaining('Set TOKEN_NAME='),
    expect.stringContaining('Set TOKEN_ADDRESS to a token of that version'),
  ]);
});

/** Puts a contract of a few bytes at a fresh address. */
async function place(seed: number, code: string) {
  const address = randomValues(seed).address();
  expect((await rpc.call('anvil_setCode', [address, code])).ok).toBe(true);
  return address;
}

test('A contract that is no payment token is a fault', async () => {
  // PUSH0 PUSH0 REVERT: refuses whatever it is asked.
  const verifyingContract = await place(2, '0x5f5ffd');
  expect(await check({ verifyingContract })).toEqual([
    `The contract at ${verifyingContract} has no DOMAIN_SEPARATOR(). Set TOKEN_ADDRESS to an EIP-3009 token.`,
  ]);
  // STOP: takes every call and answers nothing. The node is well, and it is not the node that is to be changed.
  const silent = await place(4, '0x00');
  expect(await check({ verifyingContract: silent })).toEqual([
    `The contract at ${silent} has no DOMAIN_SEPARATOR(). Set TOKEN_ADDRESS to an EIP-3009 token.`,
  ]);
});

test('A node that cannot look the contract up just now is told apart from a contract that is no token', async () => {
  const message = 'BlockOutOfRangeError: block height is 4 but requested was 3';
  const behind: Rpc = {
    call: (method, ...rest) =>
      method === 'eth_call'
        ? Promise.resolve({ ok: false, fault: { kind: 'refused', code: -32_602, message } })
        : rpc.call(method, ...rest),
  };
  expect(await checkChain({ rpc: behind, hasher, domain: configured })).toEqual([
    `The node refuses DOMAIN_SEPARATOR() (${message}). Set CHAIN_RPC_URL to a node that answers it.`,
  ]);
});

test('A token that cannot name its domain is still found out by its separator', async () => {
  // PUSH1 32 PUSH0 RETURN: answers 32 zero bytes to everything.
  const verifyingContract = await place(3, '0x60205ff3');
  expect(await check({ verifyingContract })).toEqual([
    expect.stringMatching(/^The token's domain separator is 0x0{64}, and .* gives another\. Set TOKEN_NAME/),
  ]);
});

test('A node that does not answer is one fault, which says so', async () => {
  const nobody = createHttpRpc({ url: 'http://127.0.0.1:1', timeoutMs: 1_000, answerBytesMax: 1_000 });
  expect(await checkChain({ rpc: nobody, hasher, domain: configured })).toEqual([
    'The chain cannot be asked eth_chainId (no connection to the node (ECONNREFUSED)). Start its node, or change CHAIN_RPC_URL.',
  ]);
  await nobody.close();
});

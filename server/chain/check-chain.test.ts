import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { randomValues } from '../testing/chain/random-values.ts';
import { checkChain } from './check-chain.ts';
import { type AuthorizationHasher, createAuthorizationHasher, type TokenDomain } from './domain.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import { createKeccak } from './keccak.ts';
import type { Rpc } from './rpc.ts';

let devnet: Devnet;
let rpc: HttpRpc;
let hasher: AuthorizationHasher;
let configured: TokenDomain;

beforeAll(async () => {
  devnet = await startDevnet({ chainId: 84_532 });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 100_000 });
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

test('checkChain returns no fault when the chain agrees with the settings', async () => {
  expect(await check({})).toEqual([]);
});

test('Another chain id is one fault, with both ids', async () => {
  expect(await check({ chainId: 8453 })).toEqual([
    'The node serves chain 84532, and payments are on chain 8453. Set CHAIN_RPC_URL to a node of that chain.',
  ]);
});

test('A missing contract is a fault, with its address', async () => {
  const verifyingContract = randomValues(1).address();
  expect(await check({ verifyingContract })).toEqual([
    `There is no contract at ${verifyingContract} on chain 84532. Set TOKEN_ADDRESS to the token, or CHAIN_RPC_URL to a node of its chain.`,
  ]);
});

test('Another token name is a fault, with the right name', async () => {
  expect(await check({ name: 'Other Token' })).toEqual([
    'The token uses the name "Test Payment Token", but the settings have "Other Token". Set TOKEN_NAME="Test Payment Token".',
  ]);
});

test('Another token version is a fault, with the right version', async () => {
  expect(await check({ version: '2' })).toEqual([
    'The token uses the version "1", but the contract needs version "2". Set TOKEN_ADDRESS to a token of that version.',
  ]);
});

test('checkChain returns all faults at once', async () => {
  const faults = await check({ chainId: 1, name: 'Other Token', version: '2' });
  expect(faults).toEqual([
    expect.stringContaining('payments are on chain 1'),
    expect.stringContaining('Set TOKEN_NAME='),
    expect.stringContaining('Set TOKEN_ADDRESS to a token of that version'),
  ]);
});

/** Puts a contract of a few bytes at a new address. */
async function place(seed: number, code: string) {
  const address = randomValues(seed).address();
  expect((await rpc.call('anvil_setCode', [address, code])).ok).toBe(true);
  return address;
}

test('A contract that is no payment token is a fault', async () => {
  // PUSH0 PUSH0 REVERT: reverts every call.
  const verifyingContract = await place(2, '0x5f5ffd');
  expect(await check({ verifyingContract })).toEqual([
    `The contract at ${verifyingContract} has no DOMAIN_SEPARATOR(). Set TOKEN_ADDRESS to an EIP-3009 token. If payments settled before, its code has changed: ask its issuer.`,
  ]);
  // STOP: every call succeeds without return data. The fault is the contract's and not the node's.
  const silent = await place(4, '0x00');
  expect(await check({ verifyingContract: silent })).toEqual([
    `The contract at ${silent} has no DOMAIN_SEPARATOR(). Set TOKEN_ADDRESS to an EIP-3009 token. If payments settled before, its code has changed: ask its issuer.`,
  ]);
});

test('A node that cannot read the contract now is reported as a fault of the node', async () => {
  const message = 'BlockOutOfRangeError: block height is 4 but requested was 3';
  const behind: Rpc = {
    call: (method, ...rest) =>
      method === 'eth_call'
        ? Promise.resolve({ ok: false, fault: { kind: 'refused', code: -32_602, message } })
        : rpc.call(method, ...rest),
  };
  expect(await checkChain({ rpc: behind, hasher, domain: configured })).toEqual([
    `The node rejects DOMAIN_SEPARATOR() (${message}). Set CHAIN_RPC_URL to a node that supports it.`,
  ]);
});

test('A node without a chain id is one fault, with its reason', async () => {
  const odd: Rpc = {
    call: (method, ...rest) =>
      method === 'eth_chainId'
        ? Promise.resolve({ ok: true, value: null as never })
        : rpc.call(method, ...rest),
  };
  expect(await checkChain({ rpc: odd, hasher, domain: configured })).toEqual([
    'The node does not respond to eth_chainId (the node gives no chain id). Start the node, or change CHAIN_RPC_URL.',
  ]);
});

test('A wrong domain is found by its separator when the token has no eip712Domain()', async () => {
  // PUSH1 32 PUSH0 RETURN: returns 32 zero bytes for every call.
  const verifyingContract = await place(3, '0x60205ff3');
  expect(await check({ verifyingContract })).toEqual([
    expect.stringMatching(/^The token's domain separator is 0x0{64}, but .* gives another\. Set TOKEN_NAME/),
  ]);
});

test('A node that does not respond is one fault, with its reason', async () => {
  const deadNode = createHttpRpc({ url: 'http://127.0.0.1:1', timeoutMs: 1_000, responseBytesMax: 1_000 });
  expect(await checkChain({ rpc: deadNode, hasher, domain: configured })).toEqual([
    'The node does not respond to eth_chainId (no connection to the node (ECONNREFUSED)). Start the node, or change CHAIN_RPC_URL.',
  ]);
  await deadNode.close();
});

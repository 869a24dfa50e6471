import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Contract, computeAddress, id, JsonRpcProvider } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import ledgerArtifact from '../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import artifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { atomicAmount } from '../types/units.ts';
import { type Devnet, startDevnet } from './devnet.ts';

// Reads through ethers, so that the tests do not depend on the code under test.

let folder: string;
let devnet: Devnet;
let provider: JsonRpcProvider;
let token: Contract;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'devnet-'));
  devnet = await startDevnet({ chainId: 84_532, dir: join(folder, 'keys') });
  provider = new JsonRpcProvider(devnet.rpcUrl, 84_532, { staticNetwork: true, cacheTimeout: -1 });
  token = new Contract(devnet.token.address, artifact.abi, provider);
});

afterAll(async () => {
  provider?.destroy();
  await devnet?.stop();
  rmSync(folder, { recursive: true });
});

function ask(method: string, ...values: readonly unknown[]): Promise<unknown> {
  return token.getFunction(method)(...values);
}

test('The token has the terms of the devnet', async () => {
  const { name, version, symbol, decimals } = devnet.token;
  expect(await ask('name')).toBe(name);
  expect(await ask('symbol')).toBe(symbol);
  expect(await ask('decimals')).toBe(BigInt(decimals));
  const domain = await token.getFunction('eip712Domain')();
  expect([domain.name, domain.version, domain.chainId]).toEqual([name, version, 84_532n]);
  expect(domain.verifyingContract.toLowerCase()).toBe(devnet.token.address);
});

test('The payer has tokens and no ether, the relayer has ether and no tokens, and the recipient has nothing', async () => {
  const relayer = computeAddress(devnet.relayerKey);
  expect(await ask('balanceOf', devnet.payer.address)).toBe(1_000_000_000_000n);
  expect(await provider.getBalance(devnet.payer.address)).toBe(0n);
  expect(await ask('balanceOf', relayer)).toBe(0n);
  expect(await provider.getBalance(relayer)).toBe(10n ** 21n);
  expect(await ask('balanceOf', devnet.payTo)).toBe(0n);
});

test('The ledger network is another chain, whose relayer has ether and may register and record', async () => {
  const { rpcUrl, chainId, contract, relayerKey } = devnet.ledger;
  expect(chainId).not.toBe(devnet.chainId);
  const network = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  const ledger = new Contract(contract, ledgerArtifact.abi, network);
  const relayer = computeAddress(relayerKey);
  const holds = (role: string) => ledger.getFunction('hasRole')(id(role), relayer);
  try {
    expect((await network.getNetwork()).chainId).toBe(BigInt(chainId));
    expect(await Promise.all([holds('REGISTRAR'), holds('RELAYER')])).toEqual([true, true]);
    expect(await network.getBalance(relayer)).toBe(10n ** 21n);
    expect(relayerKey).not.toBe(devnet.relayerKey);
  } finally {
    network.destroy();
  }
});

test('Only the owner can read the payer’s key file and open its folder', () => {
  const { keyFile, privateKey, address } = devnet.payer;
  if (keyFile === null) throw new Error('no key file');
  expect(readFileSync(keyFile, 'utf8')).toBe(`${privateKey}\n`);
  expect(computeAddress(privateKey).toLowerCase()).toBe(address);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'keys')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'keys'))).toEqual(['payer.key']);
});

test('The next devnet has new keys, replaces the key file, writes none without a folder, and ends completely', async () => {
  const next = await startDevnet({ chainId: 84_532, dir: join(folder, 'keys') });
  const unwritten = await startDevnet({ chainId: 84_532 });
  try {
    expect(new Set([devnet, next, unwritten].map((each) => each.payer.privateKey)).size).toBe(3);
    expect(new Set([devnet, next, unwritten].map((each) => each.relayerKey)).size).toBe(3);
    expect(readFileSync(join(folder, 'keys', 'payer.key'), 'utf8')).toBe(`${next.payer.privateKey}\n`);
    expect(unwritten.payer.keyFile).toBe(null);
  } finally {
    await Promise.all([next.stop(), unwritten.stop()]);
  }
  for (const { rpcUrl } of [next, next.ledger, unwritten, unwritten.ledger])
    await expect(fetch(rpcUrl)).rejects.toThrow();
});

test('Payers are funded at the same time, each with its own key', async () => {
  const payers = await Promise.all([
    devnet.fundPayer(),
    devnet.fundPayer(atomicAmount(5n)),
    devnet.fundPayer(),
  ]);
  const balances = await Promise.all(payers.map(({ address }) => ask('balanceOf', address)));
  expect(balances).toEqual([1_000_000_000_000n, 5n, 1_000_000_000_000n]);
  expect(new Set(payers.map(({ privateKey }) => privateKey)).size).toBe(3);
  await devnet.mintTo(payers[1].address, atomicAmount(2n));
  expect(await ask('balanceOf', payers[1].address)).toBe(7n);
});

test('A mint that the chain reverts throws, and the next mint succeeds', async () => {
  const { address } = await devnet.fundPayer(atomicAmount(1n));
  const tooMuch = atomicAmount((1n << 256n) - 1n);
  await expect(devnet.mintTo(address, tooMuch)).rejects.toThrow('reverted');
  await devnet.mintTo(address, atomicAmount(1n));
  expect(await ask('balanceOf', address)).toBe(2n);
});

test('On a chain with a block time a payer is funded at once', async () => {
  const slow = await startDevnet({ chainId: 1, blockTimeSeconds: 600 });
  try {
    const { address } = await slow.fundPayer(atomicAmount(3n));
    const other = new JsonRpcProvider(slow.rpcUrl, 1, { staticNetwork: true });
    const balance = await new Contract(slow.token.address, artifact.abi, other).getFunction('balanceOf')(
      address,
    );
    other.destroy();
    expect(balance).toBe(3n);
  } finally {
    await slow.stop();
  }
});

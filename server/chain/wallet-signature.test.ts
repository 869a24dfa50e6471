import { chainId } from '@paid-inference/contract/constants';
import { AbiCoder, SigningKey } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { accountCode } from '../testing/chain/guarded-token.ts';
import { deployTestWallet, setConduct, signatureOfWallet } from '../testing/chain/test-wallet.ts';
import { randomAddress } from '../testing/store/claims.ts';
import type { Hex } from '../types/units.ts';
import { computeSelector } from './abi.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import {
  createWalletCheck,
  isValidSignature,
  isWalletSignature,
  keepWalletSignature,
  readWalletSignature,
  unwrapDeployment,
  walletSignatureBytesMax,
} from './wallet-signature.ts';

// The gateway asks contract wallets through the chain (ERC-1271, D-293), and reads wrapped signatures (ERC-6492, D-294).

let devnet: Devnet;
let rpc: HttpRpc;
beforeAll(async () => {
  devnet = await startDevnet({ chainId });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 10_000, responseBytesMax: 65_536 });
});
afterAll(async () => {
  await rpc.close();
  await devnet.stop();
});

const digest = Buffer.from('ab'.repeat(32), 'hex');

async function openWallet() {
  const wallet = await deployTestWallet(rpc, devnet);
  const owners = new SigningKey(wallet.privateKey).sign(digest).serialized;
  return { ...wallet, signature: signatureOfWallet(owners) };
}

describe('A wallet', () => {
  it('accepts the signature of its owner with more bytes, up to the longest, and no other', async () => {
    const checkWallet = createWalletCheck(rpc);
    const { address, signature } = await openWallet();
    const longest = signatureOfWallet(signature, walletSignatureBytesMax - 265);
    for (const each of [signature, longest])
      expect(await checkWallet(address, digest, each)).toEqual({ ok: true, value: 'accepts' });
    const forged = [signature.replace(/^0x../, '0x00') as Hex, '0x' as Hex];
    for (const each of forged)
      expect(await checkWallet(address, digest, each)).toEqual({ ok: true, value: 'rejects' });
    const other = Buffer.from('cd'.repeat(32), 'hex');
    expect(await checkWallet(address, other, signature)).toEqual({ ok: true, value: 'rejects' });
  });

  it('that burns gas rejects the signature, within its gas', async () => {
    const { address, signature } = await openWallet();
    await setConduct(rpc, address, 'burnsGas');
    expect(await createWalletCheck(rpc)(address, digest, signature)).toEqual({ ok: true, value: 'rejects' });
  });

  it.each([
    ['reverts with 60,000 bytes', '0x61ea605ffd', 'rejects'],
    ['returns 60,000 bytes without the magic value', '0x61ea605ff3', 'rejects'],
    ['returns nothing', '0x00', 'rejects'],
    ['returns the magic value', accountCode.accepts, 'accepts'],
    ['returns the magic value in 4 bytes', '0x631626ba7e60e01b5f5260045ff3', 'rejects'],
    ['returns the magic value with another byte', '0x641626ba7e0160d81b5f5260205ff3', 'rejects'],
  ] as const)('that %s: the response stays one word', async (_conduct, code, value) => {
    const address = randomAddress();
    await ask(rpc, 'anvil_setCode', [address, code]);
    expect(await createWalletCheck(rpc)(address, digest, '0x' as Hex)).toEqual({ ok: true, value });
  });

  it('is told from an account without code, and from a node that does not respond', async () => {
    const account = randomAddress();
    expect(await createWalletCheck(rpc)(account, digest, '0x' as Hex)).toEqual({
      ok: true,
      value: 'has-no-code',
    });
    for (const value of ['0x', `0x${'3'.padStart(64, '0')}`, null])
      expect(
        await createWalletCheck({ call: async () => ({ ok: true, value: value as never }) })(
          account,
          digest,
          '0x' as Hex,
        ),
      ).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
  });
});

it('calls the function of ERC-1271', () => {
  expect(`0x${isValidSignature}`).toBe(computeSelector('isValidSignature(bytes32,bytes)'));
});

it('A kept signature shows whether it is that of a wallet, for every v of a key (D-04)', () => {
  for (const v of ['00', '01', '1b', '1c'])
    expect(isWalletSignature(`0x${'71'.repeat(64)}${v}` as Hex)).toBe(false);
  for (const signature of ['0x', '0x71', `0x${'1c'.repeat(65)}`] as Hex[]) {
    const kept = keepWalletSignature(signature);
    expect([isWalletSignature(kept), readWalletSignature(kept)]).toEqual([true, signature]);
  }
});

describe('A wrapped signature (ERC-6492)', () => {
  const suffix = '6492'.repeat(16);
  const wrap = (signature: string) =>
    `${AbiCoder.defaultAbiCoder().encode(
      ['address', 'bytes', 'bytes'],
      [randomAddress(), '0x1234', signature],
    )}${suffix}` as Hex;

  it('is unwrapped; any other signature is not', () => {
    for (const signature of ['0x', '0xab', `0x${'cd'.repeat(300)}`])
      expect(unwrapDeployment(wrap(signature))).toBe(signature);
    expect(unwrapDeployment(`0x${'cd'.repeat(65)}` as Hex)).toBeNull();
  });

  it('with invalid content is not unwrapped', () => {
    const hollow = `0x${suffix}` as Hex;
    const far = `0x${'ff'.repeat(96)}${suffix}` as Hex;
    const short = wrap('0xabcd').replace(/(0{62}02)abcd/, '0'.repeat(61).concat('fffabcd')) as Hex;
    for (const each of [hollow, far, short]) expect(unwrapDeployment(each)).toBeNull();
  });
});

import { execFileSync } from 'node:child_process';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { SigningKey, Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../chain/bytes.ts';
import { createAuthorizationHasher } from '../chain/domain.ts';
import { ethersCurve } from '../chain/ethers-curve.ts';
import { createKeccak } from '../chain/keccak.ts';
import type { Claim, Store } from '../store/store.ts';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import type { Authorization } from '../types/authorization.ts';
import { type Address, atomicAmount, type UnixSeconds } from '../types/units.ts';
import type { SubmittedPayment } from './decode.ts';
import { createSignatureRecovery } from './recovery.ts';
import { type SignatureRecovery, verifyPayment } from './signature.ts';
import { checkTerms } from './terms.ts';

const seed = testSeed();
const random = randomValues(seed);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const keccak = await createKeccak();
const native = createSignatureRecovery(keccak);
const ethersRecovery = createSignatureRecovery(keccak, ethersCurve);
const hasher = createAuthorizationHasher({
  keccak,
  authorizationFields: transferWithAuthorizationTypes.TransferWithAuthorization,
});
const domain = { name: 'T', version: '1', chainId: 84_532, verifyingContract: random.address() };
const separator = hasher.domainSeparator(domain);
const hashAuthorization = (authorization: Authorization) =>
  hasher.authorizationDigest(separator, authorization);

const wallet = new Wallet(random.bytes32());
const from = wallet.address.toLowerCase() as Address;
const authorization: Authorization = { ...random.authorization(), from, value: atomicAmount(10_000n) };
const signed = await wallet.signTypedData(domain, { ...transferWithAuthorizationTypes }, authorization);
const [r, s, v] = [signed.slice(2, 66), signed.slice(66, 130), Number.parseInt(signed.slice(130), 16)];

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

describe.each([native, ethersRecovery])('D-04 with $name', (recovery: SignatureRecovery) => {
  function verify(signature: string, change: Partial<Authorization> = {}) {
    const payment: SubmittedPayment = { authorization: { ...authorization, ...change }, signature, said: {} };
    return verifyPayment(payment, hashAuthorization, recovery);
  }
  const isValid = (signature: string, change?: Partial<Authorization>) => verify(signature, change).ok;

  it('accepts the payer’s signature and returns it in lower case', () => {
    expect(verify(signed.toUpperCase().replace('0X', '0x'))).toEqual({
      ok: true,
      value: { authorization, signature: signed, said: {} },
    });
  });

  it('accepts v 27 or 28, and 0 or 1 with the same meaning; rejects all 252 others', () => {
    const right = [v, v - 27];
    for (let other = 0; other < 256; other++) {
      expect(isValid(`0x${r}${s}${byte(other)}`), `v ${other}`).toBe(right.includes(other));
    }
    // The other parity is rejected for its signer, not for its v.
    const twin = new Wallet(random.bytes32());
    const accepted = new Set<number>();
    for (let nonce = 0n; accepted.size < 4 && nonce < 64n; nonce++) {
      const change = { from: twin.address.toLowerCase() as Address, validAfter: nonce };
      const {
        yParity,
        r: a,
        s: b,
      } = twin.signingKey.sign(hashAuthorization({ ...authorization, ...change }));
      for (const each of [yParity, yParity + 27]) {
        if (isValid(`${a}${b.slice(2)}${byte(each)}`, change)) accepted.add(each);
      }
    }
    expect([...accepted].toSorted((a, b) => a - b)).toEqual([0, 1, 27, 28]);
  });

  it('rejects every length but 65 bytes', () => {
    const bytes = `${signed.slice(2)}${r}`;
    for (let length = 0; length <= 80; length++) {
      expect(isValid(`0x${bytes.slice(0, length * 2)}`), `${length} bytes`).toBe(length === 65);
    }
  });

  it.each([
    ['nothing', ''],
    ['no prefix', signed.slice(2)],
    ['a capital prefix', signed.replace('0x', '0X')],
    ['half a byte more', `${signed}0`],
    ['a letter that is not hex', signed.replace(/.$/, 'g')],
    ['white space', ` ${signed}`],
    ['a line break at the end', `${signed}\n`],
  ])('%s is no hex signature', (_name, text) => {
    expect(isValid(text)).toBe(false);
  });

  it('rejects the high s, which recovers the same payer (EIP-2)', () => {
    const high = word(order - BigInt(`0x${s}`));
    const flipped = v === 27 ? 28 : 27;
    expect(isValid(`0x${r}${high}${byte(flipped)}`)).toBe(false);
    expect(verify(`0x${r}${high}${byte(flipped)}`)).toMatchObject({
      fault: { message: expect.stringContaining('high s') },
    });
    expect(isValid(`0x${r}${word(order / 2n + 1n)}1b`)).toBe(false);
  });

  it.each([
    ['r of zero', word(0n), s],
    ['s of zero', r, word(0n)],
    ['both of zero', word(0n), word(0n)],
    ['r at the order', word(order), s],
    ['r above the order', word(order + 1n), s],
    ['r at the end', 'f'.repeat(64), s],
    ['s at the order', r, word(order)],
    ['s at the end', r, 'f'.repeat(64)],
  ])('%s is rejected without an exception', (_name, eachR, eachS) => {
    for (const each of [27, 28]) expect(isValid(`0x${eachR}${eachS}${byte(each)}`)).toBe(false);
  });

  it('rejects a signature over another authorization, in each of its six fields', () => {
    const other = random.authorization();
    for (const field of Object.keys(authorization) as (keyof Authorization)[]) {
      expect(isValid(signed, { [field]: other[field] }), field).toBe(other[field] === authorization[field]);
    }
  });

  it('rejects a signature in another domain', async () => {
    for (const change of [
      { name: 'U' },
      { version: '2' },
      { chainId: 8_453 },
      { verifyingContract: random.address() },
    ]) {
      const types = { ...transferWithAuthorizationTypes };
      const elsewhere = await wallet.signTypedData({ ...domain, ...change }, types, authorization);
      expect(isValid(elsewhere), Object.keys(change)[0]).toBe(false);
    }
  });

  it('never repeats the signature in its message', () => {
    expect(JSON.stringify(verify(signed, { from: random.address() }))).not.toContain(r);
  });
});

describe('The two recoveries', () => {
  const isBuilt = process.platform === 'linux' && process.arch === 'x64';
  it.runIf(isBuilt)('use the native one where it is built, without a silent fallback', () => {
    expect([native.name, ethersRecovery.name]).toEqual(['libsecp256k1', 'ethers']);
    // The test runner resolves names that Node does not, so the test runs Node too.
    const module = new URL('./recovery.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then((it) =>
      process.stdout.write(it.createSignatureRecovery((bytes) => bytes).name))`;
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('libsecp256k1');
  });

  it(`agree on 300 signatures, valid and invalid, and on noise (seed ${seed})`, () => {
    for (let round = 0; round < 300; round++) {
      const key = new SigningKey(random.bytes32());
      const digest = new Uint8Array(random.bytes(32));
      const { r: signedR, s: signedS, yParity } = key.sign(toHex(digest));
      const rs = Buffer.from(signedR.slice(2) + signedS.slice(2), 'hex');
      const signer = native.recover(digest, rs, yParity);
      expect(signer).toBe(new Wallet(key).address.toLowerCase());
      expect(ethersRecovery.recover(digest, rs, yParity)).toBe(signer);

      const other = yParity === 0 ? 1 : 0;
      expect(native.recover(digest, rs, other)).toBe(ethersRecovery.recover(digest, rs, other));
      if (round % 3 !== 0) continue;
      const noise = random.bytes(64);
      noise[32] = (noise[32] ?? 0) & 0x7f;
      expect(native.recover(digest, noise, yParity)).toBe(ethersRecovery.recover(digest, noise, yParity));
    }
  });
});

it('Code that skips a step does not compile', () => {
  const submitted: SubmittedPayment = { authorization, signature: signed, said: {} };
  const verified = verifyPayment(submitted, hashAuthorization, native);
  if (!verified.ok) throw new Error(verified.fault.message);
  // Only the compiler reads this function.
  const skipping = (store: Store, requirements: Parameters<typeof checkTerms>[1], now: UnixSeconds) => {
    // @ts-expect-error checkTerms needs a verified payment, not a submitted one
    checkTerms(submitted, requirements, now, 90);
    // @ts-expect-error a copy of a verified payment is not verified
    checkTerms({ ...submitted, signature: verified.value.signature }, requirements, now, 90);
    const rest = { asset: from, fingerprint: 'f', settlementType: 'batch', leaseUntil: now } as const;
    // @ts-expect-error a submitted payment cannot be reserved
    store.reserve({ ...submitted, ...rest }, null, now);
    const claim: Claim = { ...verified.value, ...rest };
    return store.reserve(claim, null, now);
  };
  expect(skipping).toBeTypeOf('function');
});

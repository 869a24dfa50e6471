import { attestationBinding } from '@paid-inference/contract/constants';
import { sha256, solidityPacked } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../chain/bytes.ts';
import type { Bytes32, Hex } from '../../types/units.ts';
import { computeReportData, zeroNonce } from './report-data.ts';

const publicKey = `0x04${'ab'.repeat(64)}` as Hex;
const ledger = { chainId: 31_740, verifyingContract: `0x${'dd'.repeat(20)}` };
const nonce = `0x${'66'.repeat(32)}` as Bytes32;

describe('Report data (D-76)', () => {
  it('is a hash of binding, key, chain and contract, followed by a hash of the nonce', () => {
    const packed = solidityPacked(
      ['string', 'bytes1', 'bytes', 'uint256', 'address'],
      [attestationBinding, '0x00', publicKey, ledger.chainId, ledger.verifyingContract],
    );
    const expected = `${sha256(packed)}${sha256(nonce).slice(2)}`;
    expect(toHex(computeReportData({ publicKey, ledger, nonce }))).toBe(expected);
  });

  it('equals a fixed test vector for these values', () => {
    expect(toHex(computeReportData({ publicKey, ledger, nonce }))).toBe(
      '0x6bc26573b86c90c93adbc3789081810536fc4bc76f331f69d9573438f629e912352302489bc2fcf025cf00cda8308033f97ac87712ce90b4d7cd72c58e4c3af9',
    );
  });

  it('has a first half without the nonce and a second half with it', () => {
    const one = computeReportData({ publicKey, ledger, nonce });
    const other = computeReportData({ publicKey, ledger, nonce: zeroNonce });
    expect(other.subarray(0, 32)).toEqual(one.subarray(0, 32));
    expect(other.subarray(32)).not.toEqual(one.subarray(32));
  });

  it.each([
    ['key', { publicKey: `0x04${'ab'.repeat(63)}ac` as Hex, ledger, nonce }],
    ['chain', { publicKey, ledger: { ...ledger, chainId: 31_741 }, nonce }],
    ['contract', { publicKey, ledger: { ...ledger, verifyingContract: `0x${'dd'.repeat(19)}de` }, nonce }],
  ])('differs for another %s', (_name, values) => {
    const one = computeReportData({ publicKey, ledger, nonce });
    expect(computeReportData(values).subarray(0, 32)).not.toEqual(one.subarray(0, 32));
  });

  it('rejects a compressed key, because a verifier would hash other bytes', () => {
    expect(() => computeReportData({ publicKey: `0x02${'ab'.repeat(32)}` as Hex, ledger, nonce })).toThrow(
      'not 33',
    );
  });
});

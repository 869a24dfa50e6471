import { attestationBinding } from '@paid-inference/contract/constants';
import { sha256, solidityPacked } from 'ethers';
import { describe, expect, it } from 'vitest';
import { hexOf } from '../../chain/bytes.ts';
import type { Bytes32, Hex } from '../../types/units.ts';
import { reportDataOf, zeroNonce } from './report-data.ts';

const publicKey = `0x04${'ab'.repeat(64)}` as Hex;
const ledger = { chainId: 31_740, verifyingContract: `0x${'dd'.repeat(20)}` };
const nonce = `0x${'66'.repeat(32)}` as Bytes32;

describe('D-76: report data', () => {
  it('is a hash of binding, key, chain and contract, followed by a hash of the nonce', () => {
    const packed = solidityPacked(
      ['string', 'bytes1', 'bytes', 'uint256', 'address'],
      [attestationBinding, '0x00', publicKey, ledger.chainId, ledger.verifyingContract],
    );
    const expected = `${sha256(packed)}${sha256(nonce).slice(2)}`;
    expect(hexOf(reportDataOf({ publicKey, ledger, nonce }))).toBe(expected);
  });

  it('is this for these values, so that nobody who verifies has to guess', () => {
    expect(hexOf(reportDataOf({ publicKey, ledger, nonce }))).toBe(
      '0x6bc26573b86c90c93adbc3789081810536fc4bc76f331f69d9573438f629e912352302489bc2fcf025cf00cda8308033f97ac87712ce90b4d7cd72c58e4c3af9',
    );
  });

  it('keeps its first half from nonce to nonce, and its second from key to key', () => {
    const one = reportDataOf({ publicKey, ledger, nonce });
    const other = reportDataOf({ publicKey, ledger, nonce: zeroNonce });
    expect(other.subarray(0, 32)).toEqual(one.subarray(0, 32));
    expect(other.subarray(32)).not.toEqual(one.subarray(32));
  });

  it.each([
    ['key', { publicKey: `0x04${'ab'.repeat(63)}ac` as Hex, ledger, nonce }],
    ['chain', { publicKey, ledger: { ...ledger, chainId: 31_741 }, nonce }],
    ['contract', { publicKey, ledger: { ...ledger, verifyingContract: `0x${'dd'.repeat(19)}de` }, nonce }],
  ])('is other for another %s', (_name, values) => {
    const one = reportDataOf({ publicKey, ledger, nonce });
    expect(reportDataOf(values).subarray(0, 32)).not.toEqual(one.subarray(0, 32));
  });

  it('takes no compressed key: who verifies could not hash the same', () => {
    expect(() => reportDataOf({ publicKey: `0x02${'ab'.repeat(32)}` as Hex, ledger, nonce })).toThrow(
      '33 bytes',
    );
  });
});

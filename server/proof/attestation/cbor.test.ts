import { describe, expect, it } from 'vitest';
import { writeCbor } from '../../testing/attestation/cbor-writer.ts';
import { readCbor } from './cbor.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('CBOR, with the examples of RFC 8949, appendix A', () => {
  it.each([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['20', -1],
    ['3863', -100],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['40', Buffer.of()],
    ['4401020304', Buffer.of(1, 2, 3, 4)],
    ['60', ''],
    ['6449455446', 'IETF'],
    ['62c3bc', 'ü'],
    ['80', []],
    ['83010203', [1, 2, 3]],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', new Map()],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    [
      'a26161016162820203',
      new Map<string, unknown>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
    ['d74401020304', Buffer.of(1, 2, 3, 4)],
  ] as Array<[string, unknown]>)('reads %s', (hex, value) => {
    expect(readCbor(bytes(hex))).toEqual({ value });
  });

  it.each([
    ['a float', 'f97c00'],
    ['undefined', 'f7'],
    ['a list of indefinite length', '9f0102ff'],
    ['text of indefinite length', '7f657374726561646d696e67ff'],
    ['an integer above the safe integers', '1bffffffffffffffff'],
    ['a duplicate key', 'a2616101616102'],
    ['trailing bytes', '0000'],
    ['nothing', ''],
    ['truncated text', '6449455446'.slice(0, -2)],
    ['a list that claims more items than there are', '9b000000ffffffffff'],
    ['bytes that claim more than there are', '5a7fffffff00'],
    ['too many nested lists', '81'.repeat(100)],
  ])('rejects %s', (_name, hex) => {
    expect(readCbor(bytes(hex))).toBeNull();
  });

  it('reads the output of the test writer', () => {
    const value = new Map([
      ['key', [1, -35, 'text', Buffer.alloc(300, 7), null, new Map([[1_700_000_000_000, 65_536]])]],
    ]);
    expect(readCbor(writeCbor(value))).toEqual({ value });
  });
});

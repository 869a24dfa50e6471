import { encode } from 'cborg';
import { describe, expect, it } from 'vitest';
import { depthMax } from './byte-cursor.ts';
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
    ['40', Uint8Array.of()],
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
    ['an infinite float', 'f97c00'],
    ['a whole number as a float of 16 bits', 'f93c00'],
    ['a whole number as a float of 32 bits', 'fa47c35000'],
    ['a whole number as a float of 64 bits', 'fb3ff0000000000000'],
    ['a float within a map', 'a10af93c00'],
    ['undefined', 'f7'],
    ['a simple value without a meaning', 'f0'],
    ['a simple value of two bytes', 'f8ff'],
    ['a list of indefinite length', '9f0102ff'],
    ['a map of indefinite length', 'bf6161f5ff'],
    ['bytes of indefinite length', '5f42010243030405ff'],
    ['text of indefinite length', '7f657374726561646d696e67ff'],
    ['a break without a list', 'ff'],
    ['a reserved length', '1c'],
    ['an integer above the safe integers', '1bffffffffffffffff'],
    ['a negative integer beyond the safe integers', '3bffffffffffffffff'],
    ['a duplicate key', 'a2616101616102'],
    ['a duplicate key of a number', 'a201010102'],
    ['the same key in two lengths', 'a20101180102'],
    ['a duplicate key within a list', '81a2616101616102'],
    ['trailing bytes', '0000'],
    ['trailing bytes after a list', '810000'],
    ['nothing', ''],
    ['a tag without a value', 'd2'],
    ['a map without its last value', 'a1616161'.slice(0, -2)],
    ['truncated text', '6449455446'.slice(0, -2)],
    ['a list that claims more items than there are', '9b000000ffffffffff'],
    ['bytes that claim more than there are', '5a7fffffff00'],
    ['a map that claims more entries than there are', 'bb000000ffffffffff'],
    ['text that claims more than there is', '7a7fffffff61'],
    ['too many nested lists', `${'81'.repeat(depthMax + 1)}00`],
    ['too many nested maps', `${'a100'.repeat(depthMax + 1)}00`],
    ['too many nested maps in keys', `${'a1'.repeat(depthMax + 1)}00${'00'.repeat(depthMax + 1)}`],
    ['too many nested tags', `${'d2'.repeat(depthMax + 1)}00`],
    ['100,000 nested lists', `${'81'.repeat(100_000)}00`],
    ['100,000 nested tags', `${'d2'.repeat(100_000)}00`],
  ])('rejects %s', (_name, hex) => {
    expect(readCbor(bytes(hex))).toBeNull();
  });

  it.each([
    ['lists', `${'81'.repeat(depthMax)}00`],
    ['maps', `${'a100'.repeat(depthMax)}00`],
    ['tags', `${'d2'.repeat(depthMax)}00`],
    ['a list after closed lists', `98648100${'80'.repeat(98)}${'81'.repeat(depthMax - 1)}00`],
  ])('reads the deepest nesting of %s', (_name, hex) => {
    expect(readCbor(bytes(hex))).not.toBeNull();
  });

  it('reads the output of cborg', () => {
    const value = new Map([
      ['key', [1, -35, 'text', Buffer.alloc(300, 7), null, new Map([[1_700_000_000_000, 65_536]])]],
    ]);
    expect(readCbor(Buffer.from(encode(value)))).toEqual({ value });
  });
});

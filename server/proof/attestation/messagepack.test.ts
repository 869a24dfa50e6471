import { describe, expect, it } from 'vitest';
import { readMessagePack } from './messagepack.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('MessagePack, with the formats of its specification', () => {
  it.each([
    ['00', 0],
    ['7f', 127],
    ['ff', -1],
    ['e0', -32],
    ['cc80', 128],
    ['cd0100', 256],
    ['ce00010000', 65_536],
    ['cf000000e8d4a51000', 1_000_000_000_000],
    ['c0', null],
    ['c2', false],
    ['c3', true],
    ['a3616263', 'abc'],
    ['d903616263', 'abc'],
    ['da0003616263', 'abc'],
    ['db00000003616263', 'abc'],
    ['c4020102', Buffer.of(1, 2)],
    ['c500020102', Buffer.of(1, 2)],
    ['c6000000020102', Buffer.of(1, 2)],
    ['920102', [1, 2]],
    ['dc00020102', [1, 2]],
    ['dd000000020102', [1, 2]],
    [
      '82a7636f6d70616374c3a6736368656d6100',
      new Map<string, unknown>([
        ['compact', true],
        ['schema', 0],
      ]),
    ],
    ['de0001a16101', new Map([['a', 1]])],
    ['df00000001a16101', new Map([['a', 1]])],
  ] as Array<[string, unknown]>)('reads %s', (hex, value) => {
    expect(readMessagePack(bytes(hex))).toEqual({ value });
  });

  it.each([
    ['a float', 'cb3ff0000000000000'],
    ['an extension', 'd40100'],
    ['a type that the specification never used', 'c1'],
    ['an integer above the safe integers', 'cfffffffffffffffff'],
    ['a key that is not text', '810102'],
    ['a duplicate key', '82a16101a16102'],
    ['trailing bytes', '0000'],
    ['nothing', ''],
    ['truncated text', 'a36162'],
    ['a list that claims more items than there are', 'ddffffffff'],
    ['a map that claims more entries than there are', 'dfffffffff'],
    ['too many nested lists', '91'.repeat(100)],
  ])('rejects %s', (_name, hex) => {
    expect(readMessagePack(bytes(hex))).toBeNull();
  });
});

import { Interface } from 'ethers';
import { expect, test } from 'vitest';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import type { Hex } from '../types/units.ts';
import { aggregateCalldata, parseAggregate } from './multicall.ts';

const seed = testSeed();
const multicall = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
]);

function randomBytes(random: ReturnType<typeof randomValues>): Hex {
  return random.bytes32().slice(0, 2 + 2 * random.below(33)) as Hex;
}

test(`aggregateCalldata encodes as ethers does, for random calls (seed ${seed})`, () => {
  const random = randomValues(seed);
  for (let size = 0; size < 40; size++) {
    const calls = Array.from({ length: size }, () => ({ to: random.address(), data: randomBytes(random) }));
    const tuples = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
    expect(aggregateCalldata(calls)).toBe(multicall.encodeFunctionData('aggregate3', [tuples]));
  }
});

test(`parseAggregate decodes what ethers encodes (seed ${seed})`, () => {
  const random = randomValues(seed);
  for (let size = 0; size < 40; size++) {
    const results = Array.from({ length: size }, () => ({
      success: random.below(2) === 1,
      data: randomBytes(random),
    }));
    const tuples = results.map(({ success, data }) => ({ success, returnData: data }));
    const response = multicall.encodeFunctionResult('aggregate3', [tuples]);
    expect(parseAggregate(response, size)).toEqual(results);
    expect(parseAggregate(response, size + 1)).toBeNull();
  }
});

test('parseAggregate returns null for anything but the results of a batch', () => {
  const response = multicall.encodeFunctionResult('aggregate3', [[{ success: true, returnData: '0x1234' }]]);
  for (const broken of [
    '0x',
    '0x1234',
    null,
    response.slice(0, -64),
    `${response.slice(0, 66)}${'f'.repeat(64)}`,
  ]) {
    expect(parseAggregate(broken, 1)).toBeNull();
  }
});

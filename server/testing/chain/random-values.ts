import { createHash, randomInt } from 'node:crypto';
import { toHex } from '../../chain/bytes.ts';
import type { Authorization } from '../../types/authorization.ts';
import { type Address, atomicAmount, type Bytes32 } from '../../types/units.ts';

/** Returns the seed of a test run: TEST_SEED to repeat a run, else a new seed. */
export function testSeed(): number {
  const named = process.env['TEST_SEED'];
  return named === undefined ? randomInt(2 ** 31) : Number(named);
}

/** Creates values that look random and repeat for the same seed. */
export function randomValues(seed: number) {
  let block = 0;
  const bytes = (length: number): Buffer => {
    const blocks: Buffer[] = [];
    for (let have = 0; have < length; have += 32) {
      blocks.push(createHash('sha256').update(`${seed}/${block++}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
  const below = (limit: number): number => bytes(4).readUInt32BE() % limit;
  const address = () => toHex(bytes(20)) as Address;
  const bytes32 = () => toHex(bytes(32)) as Bytes32;
  /** Yields both ends of uint256 as often as other values, since padding fails at the ends. */
  const uint256 = (): bigint => {
    const ends = [0n, 1n, (1n << 256n) - 1n];
    return ends[below(6)] ?? BigInt(toHex(bytes(1 + below(32))));
  };
  const authorization = (): Authorization => ({
    from: address(),
    to: address(),
    value: atomicAmount(uint256()),
    validAfter: uint256(),
    validBefore: uint256(),
    nonce: bytes32(),
  });
  return { bytes, below, address, bytes32, uint256, authorization };
}

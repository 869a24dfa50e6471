import { expect, it } from 'vitest';
import type { Bytes32 } from '../../types/units.ts';
import { agree, type Verdict } from './decide.ts';

const untouched: Verdict = { kind: 'untouched' };
const reverts: Verdict = { kind: 'refused', reason: 'invalid_transaction_state', txHash: null };
const noFunds: Verdict = { kind: 'refused', reason: 'insufficient_funds', txHash: null };
const used: Verdict = {
  kind: 'refused',
  reason: 'authorization_used',
  txHash: `0x${'11'.repeat(32)}` as Bytes32,
};

it.each([
  ['passes and reverts in turns', untouched, reverts, untouched],
  ['reverts and passes in turns', reverts, untouched, untouched],
  ['has funds in every other block', noFunds, untouched, untouched],
])(
  'lets a payment that %s be tried again, so that no other payment waits for it (D-57, D-135)',
  (_, one, other, both) => {
    expect(agree(one, other)).toEqual(both);
  },
);

it.each([
  ['reverts twice', reverts, reverts, reverts],
  ['was spent, by its logs', untouched, used, used],
  ['expired for one node alone', untouched, { kind: 'expired' }, { kind: 'unknown' }],
  ['was read through one node only', { kind: 'unknown' }, reverts, { kind: 'unknown' }],
] as const)('decides nothing without proof for a payment that %s', (_, one, other, both) => {
  expect(agree(one, other)).toEqual(both);
});

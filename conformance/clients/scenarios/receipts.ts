import { chainId } from '@paid-inference/contract/constants';
import { notices, paysOnce } from '../rules.ts';
import { type Act, type FalseReceipt, type Requirement, type Scenario, serve } from '../scenario.ts';

const otherPayer = '0x0000000000000000000000000000000000000b0b';
const once = 'contract §4.4; EIP-3009: a nonce pays once';

/** A gateway that serves the completion with a false receipt, or without one. It serves earlier purchases honestly. */
function falseReceipt(
  id: string,
  gateway: string,
  of: string,
  settles: boolean,
  receipt: FalseReceipt,
  earlier: readonly Act[] = [],
): Scenario {
  const notice: Requirement = {
    id: `notices.${id}`,
    level: 'SHOULD',
    title: `The command does not end with exit code 0 after ${of}.`,
    source: 'contract §2.11',
    judge: notices,
  };
  const single: Requirement = {
    id: `once.${id}`,
    level: 'MUST',
    title: `The client pays once despite ${of}.`,
    source: once,
    judge: paysOnce,
  };
  const acts: readonly Act[] = [...earlier, { settles, ending: { kind: 'serve', receipt } }];
  return { id, gateway, acts, purchases: acts.length, requirements: [single, notice] };
}

export const receipts: readonly Scenario[] = [
  falseReceipt('no-receipt', 'serves without a receipt', 'a response without a receipt', true, () => null),
  falseReceipt(
    'failed-receipt',
    'serves with a receipt whose `success` is false',
    'a receipt of a failed settlement',
    true,
    (honest) => ({ ...honest, success: false }),
  ),
  falseReceipt(
    'foreign-receipt',
    'serves with the receipt of another payer',
    'a receipt of another payer',
    true,
    (honest) => ({ ...honest, payer: otherPayer }),
  ),
  falseReceipt(
    'other-chain-receipt',
    'serves with a receipt of another chain',
    'a receipt of another chain',
    true,
    (honest) => ({ ...honest, network: 'eip155:8453', chainId: chainId / chainId }),
  ),
  falseReceipt(
    'false-transaction',
    'serves without a charge, with a receipt of a transaction that does not exist',
    'a receipt of a transaction that does not exist',
    false,
    (honest) => honest,
  ),
  falseReceipt(
    'old-receipt',
    'serves a second purchase without a charge, with the receipt of the first one',
    'the receipt of an earlier purchase',
    false,
    (_, before) => before ?? null,
    [serve],
  ),
];

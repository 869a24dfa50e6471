import { headerNames } from '@paid-inference/contract/constants';
import type { SettlementType } from '@paid-inference/contract/types';
import { patiently } from '../../chain/patiently.ts';
import { hashFaults, isSigned, readProof } from '../../chain/proof.ts';
import { type Check, check, type JudgedId, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, seen } from '../../types/verdict.ts';
import { paidWithType } from '../payments/payment-terms.ts';
import { judgeBatch, judgeIndividual, judgePrivate } from './ledger-modes.ts';
import { ledgerNode, type Proven, proven } from './proven.ts';

/** A gateway registers its key after the start, while it already serves requests (D-70). */
const registeredSecondsMax = 30;

const ofChat = (context: Context) => proven(context, paidChat);

/** Checks of the proofs of paid responses on the ledger network (§1, §4.3). */
export const ledgerChecks: readonly Check[] = [
  observation('ledger.proof', 'Whether a response has a proof', async (context) => {
    const node = await ledgerNode(context);
    if (!node.ok) return node.verdict;
    const paid = await served(paidChat(context));
    if (!paid.ok) return paid.verdict;
    const proof = readProof(paid.value.answered);
    if (proof === 'none') return seen(`no header ${headerNames.inferenceProof}`);
    if (proof === 'other') return seen('a proof in another form');
    return seen(`a proof by ${proof.signer}`);
  }),
  check('ledger.proof.hashes', 'The proof has the hashes of this request, response and model', (context) =>
    given(context.once(ofChat), judgeHashes),
  ),
  check('ledger.proof.signature', 'The proof is signed by the key that it names', (context) =>
    given(context.once(ofChat), judgeSignature),
  ),
  check(
    'ledger.proof.key',
    'The key of the proof is registered on the proof ledger and not revoked',
    (context) => given(context.once(ofChat), (one) => judgeKey(context, one)),
  ),
  mode('ledger.individual.recorded', 'individual', 'records the hashes of this inference', judgeIndividual),
  mode('ledger.batch.recorded', 'batch', 'records this inference in a batch only', judgeBatch),
  check(
    'ledger.default.batch',
    'Without X-SETTLEMENT-TYPE, an inference is recorded as with batch',
    (context) => given(context.once(ofChat), (one) => judgeBatch(context, one)),
  ),
  // Last, so that a wrong record has as much time to appear as the others.
  mode('ledger.private.unrecorded', 'private', 'records nothing of this inference', (context, one) =>
    judgePrivate(one, () => proven(context, () => paidWithType(context, 'individual'))),
  ),
];

function mode(
  requirement: JudgedId,
  type: SettlementType,
  does: string,
  judge: (context: Context, one: Proven) => Promise<Judgement>,
): Check {
  return check(requirement, `${headerNames.settlementType}: ${type} ${does}`, (context) =>
    given(
      proven(context, () => paidWithType(context, type)),
      (one) => judge(context, one),
    ),
  );
}

function judgeHashes({ answered, proof }: Proven): Judgement {
  const faults = hashFaults(answered, proof);
  return faults.length === 0 ? holds() : broken('keccak256 of canonical JSON', faults.join('; '));
}

function judgeSignature({ proof }: Proven): Judgement {
  if (isSigned(proof)) return holds();
  return broken(`a signature by ${proof.signer}`, 'an invalid signature, or one of another key');
}

async function judgeKey(context: Context, { proof, ledger }: Proven): Promise<Judgement> {
  const registered = await patiently(registeredSecondsMax, context.sleep, async () => {
    const key = await ledger.key(proof.signer);
    return key.ok && key.value.registeredAt === 0n ? { ok: true, value: undefined } : key;
  });
  if (!registered.ok) return registered.verdict;
  const { value: key } = registered;
  if (key === undefined) return broken(`the key ${proof.signer} on the ledger`, 'no such key');
  return key.revokedAt === 0n || key.revokedAt > BigInt(proof.timestamp)
    ? holds()
    : broken('a key that was valid when it signed', `a key that was revoked at ${key.revokedAt}`);
}

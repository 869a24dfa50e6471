import { headerNames } from '@paid-inference/contract/constants';
import type { InferenceProof } from '@paid-inference/contract/types';
import { type Ledger, openLedger } from '../../chain/ledger.ts';
import { readProof } from '../../chain/proof.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Context } from '../../context/context.ts';
import { type Paid, served } from '../../sources/paid-source.ts';
import { type Found, found, inapplicable } from '../../types/found.ts';
import type { Answered } from '../../wire/exchange.ts';

/** A paid response with a proof, and the ledger that the proof names. */
export type Proven = {
  readonly answered: Answered;
  readonly proof: InferenceProof;
  readonly ledger: Ledger;
};

/** The node of the ledger network, if the caller gave one. */
export async function ledgerNode({ nodes }: Context): Promise<Found<Rpc>> {
  return nodes.ledger
    ? found(nodes.ledger)
    : inapplicable("no node of the proof ledger's chain was given (--ledger-rpc)");
}

/**
 * The preconditions for checking a paid response on the ledger. The contract does not define proofs, so the
 * checks apply only to proofs in the form of the reference gateway (D-68). Without a node, nothing is paid.
 */
export async function proven(
  context: Context,
  pay: (context: Context) => Promise<Found<Paid>>,
): Promise<Found<Proven>> {
  const node = await ledgerNode(context);
  if (!node.ok) return node;
  const paid = await served(pay(context));
  if (!paid.ok) return paid;
  const { answered } = paid.value;
  const proof = readProof(answered);
  if (proof === 'none') return inapplicable(`the response has no header ${headerNames.inferenceProof}`);
  if (proof === 'other')
    return inapplicable(`${headerNames.inferenceProof} has a form that the suite does not know`);
  const ledger = await openLedger(node.value, proof);
  if (!ledger.ok) return ledger;
  return found({ answered, proof, ledger: ledger.value });
}

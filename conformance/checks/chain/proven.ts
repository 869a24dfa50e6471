import { headerNames } from '@paid-inference/contract/constants';
import type { InferenceProof } from '@paid-inference/contract/types';
import { type Ledger, openLedger } from '../../chain/ledger.ts';
import { proofOf } from '../../chain/proof.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Context } from '../../context/context.ts';
import { type Paid, served } from '../../sources/paid-source.ts';
import { andThen, type Found, found, inapplicable } from '../../types/found.ts';
import type { Answered } from '../../wire/exchange.ts';

/** A paid answer that came with a proof, and the ledger that the proof names. */
export type Proven = {
  readonly answered: Answered;
  readonly proof: InferenceProof;
  readonly ledger: Ledger;
};

/** The node of the ledger network, where the caller gave one. */
export async function ledgerNode({ nodes }: Context): Promise<Found<Rpc>> {
  return nodes.ledger
    ? found(nodes.ledger)
    : inapplicable('no ledger given: --ledger-rpc names a node of the ledger network');
}

/**
 * What is needed to look a paid answer up on the ledger. The contract does not show what a proof looks like, so a
 * deployment without those of the reference gateway (D-68) has nothing to be looked up. Nothing is paid without a node.
 */
export function proven(
  context: Context,
  pay: (context: Context) => Promise<Found<Paid>>,
): Promise<Found<Proven>> {
  return andThen(ledgerNode(context), (node) =>
    andThen(served(pay(context)), ({ answered }) => {
      const proof = proofOf(answered);
      if (proof === 'none') return inapplicable(`the answer carries no ${headerNames.inferenceProof}`);
      if (proof === 'other')
        return inapplicable(`${headerNames.inferenceProof} is of a form that this suite does not know`);
      return andThen(openLedger(node, proof), (ledger) => found({ answered, proof, ledger }));
    }),
  );
}

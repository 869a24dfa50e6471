import type { SiteFacts } from '../../facts.ts';
import { formatAmount, formatCount, formatTime } from '../format.ts';
import { Fact, Hex, Notice } from '../parts.tsx';
import { findTransaction } from './find-transaction.ts';
import { ReadAgain } from './read-again.tsx';
import { CheckNote } from './step-list.tsx';
import { type FoundTransaction, sumPayments } from './transfers.ts';
import { useLoaded } from './use-loaded.ts';

/** A transaction of the payment chain: when it was mined, and how many payments it settled. */
export function Transaction({ id: hash, facts }: { readonly id: string; readonly facts: SiteFacts }) {
  const loaded = useLoaded(() => findTransaction(hash));
  const { state } = loaded;
  return (
    <>
      <h1>Transaction</h1>
      <p>
        <Hex text={hash} />
      </p>
      {state.kind === 'loading' && <p role="status">Your browser reads the transaction …</p>}
      {state.kind === 'failed' && (
        <Notice kind="bad" title="The transaction could not be read">
          <p>{state.message}</p>
        </Notice>
      )}
      {state.kind === 'loaded' && state.value === null && (
        <Notice kind="open" title="The chain does not have this transaction">
          <p>Check the hash. A new transaction may need some seconds to get into a block.</p>
        </Notice>
      )}
      {state.kind === 'loaded' && state.value !== null && <Found found={state.value} facts={facts} />}
      <ReadAgain {...loaded} />
    </>
  );
}

function Found({ found, facts }: { readonly found: FoundTransaction; readonly facts: SiteFacts }) {
  const { receipt, minedAt, confirmations } = found;
  const { count, sum } = sumPayments(receipt.logs, facts);
  return (
    <>
      <p class="lead">
        {receipt.status === 1
          ? `The transaction settled ${count} ${count === 1 ? 'payment' : 'payments'} of this gateway.`
          : 'The transaction failed, and moved nothing.'}
      </p>
      <dl class="facts">
        <Fact name="Sum of the payments">
          {formatAmount(sum, facts.token.decimals)} {facts.token.name}
        </Fact>
        <Fact name="Block">{formatCount(receipt.blockNumber)}</Fact>
        <Fact name="Mined">{formatTime(minedAt)}</Fact>
        <Fact name="Confirmations">{formatCount(confirmations)}</Fact>
        <Fact name="Sent by">
          <Hex text={receipt.from} />
        </Fact>
        <Fact name="Gas used">{formatCount(Number(receipt.gasUsed))}</Fact>
      </dl>
      <p>
        The page shows no payer of a transaction. To see your payment, look it up by its nonce and your
        address.
      </p>
      <CheckNote result="this sum from the logs of the transaction" />
    </>
  );
}

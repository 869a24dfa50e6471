import type { OperatorState, RefusedPayment } from '../../operator-state.ts';
import { formatTime, shorten } from '../format.ts';

/** The newest payments that the chain refused, each with its history. */
export function Refused({ refused }: Pick<OperatorState, 'refused'>) {
  return (
    <section aria-labelledby="refused">
      <h2 id="refused">Payments that failed</h2>
      {refused.length === 0 && <p>None of the newest payments failed.</p>}
      {refused.map((payment) => (
        <details class="panel" key={payment.id}>
          <summary>
            {formatTime(payment.reservedAt)} – {payment.state}
            {payment.failure !== null && `, ${payment.failure}`} – {payment.amount} units of{' '}
            <span class="hex">{shorten(payment.payer)}</span>
          </summary>
          <History payment={payment} />
        </details>
      ))}
    </section>
  );
}

const advice: Readonly<Record<string, string>> = {
  insufficient_funds:
    'The payer spent the tokens during the inference. It owes the price, and can buy nothing until it pays the same payment.',
  undecided:
    'The nonce was used in a transaction that the node does not show. The gateway looks for it again.',
};

/** What happened to a payment, step by step. */
function History({ payment }: { readonly payment: RefusedPayment }) {
  const { state, payer, nonce, amount, reservedAt, validBefore, failure, transactions } = payment;
  return (
    <>
      <ol>
        <li>
          Reserved at {formatTime(reservedAt)}: {amount} units of <span class="hex">{payer}</span>.
        </li>
        <li>Executed: the model ran, and the completion was stored.</li>
        {transactions.map((hash) => (
          <li key={hash}>
            Sent in <span class="hex">{hash}</span>.
          </li>
        ))}
        {transactions.length === 0 && <li>No transaction was sent for it.</li>}
        <li>
          {state === 'expired'
            ? `Expired: the signature ended at ${formatTime(Number(validBefore))} before the chain accepted it.`
            : `Refused: ${failure ?? 'the chain gave no reason'}.`}
        </li>
      </ol>
      <p>{advice[failure ?? ''] ?? 'The payer was not charged, and got no completion.'}</p>
      <p class="quiet">
        Nonce <span class="hex">{nonce}</span>. The log has the request under this payer.
      </p>
    </>
  );
}

import type { SiteFacts } from '../../facts.ts';
import { formatAmount } from '../format.ts';
import { Notice } from '../parts.tsx';
import { link } from '../root.ts';
import { BoughtView } from './bought-view.tsx';
import { ExchangeView } from './exchange-view.tsx';
import { OrderForm } from './order-form.tsx';
import { PaymentPanel } from './payment-panel.tsx';
import type { KeptPurchase } from './tab-journal.ts';
import { type Purchase, usePurchase } from './use-purchase.ts';

type Given = { readonly facts: SiteFacts };

export const title = 'Try it';

/** The playground: write a request, see its price, pay, and watch the exchange. */
export function View({ facts }: Given) {
  const wanted = new URLSearchParams(location.search).get('model');
  const model = facts.models.find(({ id }) => id === wanted) ?? facts.models[0];
  const purchase = usePurchase(facts, model?.id ?? '');
  const { draft, entries, isBusy, text, bought, problem, priced, kept } = purchase;
  return (
    <>
      <h1>Try it</h1>
      <p class="lead">
        Write a request, see its price, and pay with a wallet. The page shows each step of the exchange, with
        its bytes.
      </p>
      {kept !== null && <Kept facts={facts} kept={kept} purchase={purchase} />}
      <OrderForm facts={facts} draft={draft} isBusy={isBusy} change={purchase.change} />
      <p class="row">
        <button
          type="button"
          class={priced === null ? 'main' : ''}
          disabled={isBusy || kept !== null}
          onClick={() => void purchase.quote()}
        >
          Show the price
        </button>
        <span role="status">{describeProgress(purchase)}</span>
        {purchase.isWalletAsked && (
          <button type="button" onClick={purchase.stopWaiting}>
            Stop waiting
          </button>
        )}
      </p>
      {priced !== null && kept === null && <PaymentPanel facts={facts} purchase={purchase} priced={priced} />}
      {problem !== null && (
        <Notice kind="bad" title={problem.title}>
          <p class="break">{problem.advice}</p>
        </Notice>
      )}
      {bought === null && text !== '' && <Completion text={text} />}
      {bought !== null && (
        <BoughtView key={bought.nonce} bought={bought} steps={purchase.steps} goOn={purchase.goOn} />
      )}
      <ExchangeView entries={entries} />
    </>
  );
}

/** The progress in a sentence, which screen readers read when it changes. */
function describeProgress({ isBusy, isWalletAsked, bought, priced, kept }: Purchase): string {
  if (isWalletAsked) return 'Your wallet has a request for you. Open it, if you do not see it.';
  if (isBusy) return 'In progress …';
  if (bought !== null) return 'The completion has arrived.';
  return priced === null || kept !== null ? '' : 'The price is below.';
}

function Completion({ text }: { readonly text: string }) {
  return (
    <section class="panel" aria-labelledby="completion">
      <h2 id="completion">Completion</h2>
      <p class="chat" dir="auto">
        {text}
      </p>
    </section>
  );
}

type GivenKept = Given & { readonly kept: KeptPurchase; readonly purchase: Purchase };

/** A purchase that was signed, and whose completion did not arrive, for example because the page was loaded again. */
function Kept({ facts: { token }, kept: { order, payment }, purchase }: GivenKept) {
  const { from, nonce } = payment.authorization;
  const price = formatAmount(order.price, token.decimals);
  return (
    <Notice kind="open" title="You signed a purchase, and its completion has not arrived">
      <p>
        The price is {price} <bdi>{token.name}</bdi>. This tab keeps the signature. The page can send the same
        payment again, and the gateway charges it once.{' '}
        <a href={link(`/payment/${nonce}?payer=${from}`)}>See the payment</a>
      </p>
      <p class="row">
        <button type="button" class="main" disabled={purchase.isBusy} onClick={() => void purchase.resume()}>
          Get the completion
        </button>
        <button type="button" disabled={purchase.isBusy} onClick={purchase.forget}>
          Forget this purchase
        </button>
      </p>
      <p class="quiet">If you forget a purchase that was charged, its completion is lost.</p>
    </Notice>
  );
}

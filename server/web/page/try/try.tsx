import { useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import { formatAmount } from '../format.ts';
import { Copyable, Notice } from '../parts.tsx';
import { BoughtView } from './bought-view.tsx';
import { ExchangeView } from './exchange-view.tsx';
import { OrderForm } from './order-form.tsx';
import { purchaseProgram } from './program.ts';
import { type Priced, type Purchase, usePurchase } from './use-purchase.ts';
import { useWallets } from './wallets.ts';

type Given = { readonly facts: SiteFacts };

export const title = 'Try it';

/** The playground: write a request, see its price, pay, and watch the exchange. */
export function View({ facts }: Given) {
  const wanted = new URLSearchParams(location.search).get('model');
  const model = facts.models.find(({ id }) => id === wanted) ?? facts.models[0];
  const purchase = usePurchase(facts, model?.id ?? '');
  const { draft, entries, isBusy, text, bought, problem, priced } = purchase;
  return (
    <>
      <h1>Try it</h1>
      <p class="lead">
        Write a request, see its price, and pay with a wallet. The page shows each step of the exchange, with
        its bytes.
      </p>
      <OrderForm facts={facts} draft={draft} change={purchase.change} />
      <p class="row">
        <button
          type="button"
          class={priced === null ? 'main' : ''}
          disabled={isBusy}
          onClick={() => void purchase.quote()}
        >
          Show the price
        </button>
        {isBusy && <span role="status">In progress …</span>}
      </p>
      {priced !== null && <Payment facts={facts} purchase={purchase} priced={priced} />}
      {problem !== null && (
        <Notice kind="bad" title={problem.title}>
          <p>{problem.advice}</p>
        </Notice>
      )}
      {bought === null && text !== '' && <Completion text={text} />}
      {bought !== null && (
        <BoughtView key={bought.nonce} bought={bought} facts={facts} goOn={purchase.goOn} />
      )}
      <ExchangeView entries={entries} />
    </>
  );
}

function Completion({ text }: { readonly text: string }) {
  return (
    <section class="panel" aria-labelledby="completion">
      <h2 id="completion">Completion</h2>
      <p class="chat">{text}</p>
    </section>
  );
}

/** The price, the wallets, and the program that makes the same purchase. */
function Payment({
  facts,
  purchase,
  priced,
}: Given & { readonly purchase: Purchase; readonly priced: Priced }) {
  const wallets = useWallets(facts);
  const [chosen, choose] = useState('');
  const wallet = wallets.find(({ id }) => id === chosen) ?? wallets[0];
  const price = formatAmount(priced.price, facts.token.decimals);
  return (
    <section class="panel" aria-labelledby="price">
      <h2 id="price">
        Price: {price} {facts.token.name}
      </h2>
      <p>
        You sign one transfer of exactly this amount to <span class="hex">{facts.payTo}</span>. The gateway
        charges it only if you get the completion.
      </p>
      {wallet === undefined ? (
        <Notice kind="open" title="Your browser has no wallet">
          <p>Install a wallet that announces itself to pages (EIP-6963), and load the page again.</p>
        </Notice>
      ) : (
        <>
          <label for="wallet">Pay with</label>
          <select id="wallet" value={wallet.id} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {wallets.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          <p>
            <button
              type="button"
              class="main"
              disabled={purchase.isBusy}
              onClick={() => void purchase.pay(wallet)}
            >
              Sign and pay {price}
            </button>
          </p>
        </>
      )}
      <details>
        <summary>The same purchase as a program</summary>
        <Copyable
          text={purchaseProgram(facts, priced.body, priced.settlementType, String(priced.price))}
          label="the program for this purchase"
        />
      </details>
    </section>
  );
}

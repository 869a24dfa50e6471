import { useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import { formatAmount } from '../format.ts';
import { Copyable, Notice } from '../parts.tsx';
import type { Priced } from './order.ts';
import { purchaseProgram } from './program.ts';
import type { Purchase } from './use-purchase.ts';
import { type ChosenWallet, useWallets } from './wallets.ts';

type Given = { readonly facts: SiteFacts; readonly purchase: Purchase; readonly priced: Priced };

/** The price, the wallets, and the program that makes the same purchase. */
export function PaymentPanel({ facts, purchase, priced }: Given) {
  const wallets = useWallets(facts);
  const [chosen, choose] = useState('');
  const wallet = wallets.find(({ id }) => id === chosen) ?? wallets[0];
  const price = formatAmount(priced.price, facts.token.decimals);
  return (
    <section class="panel" aria-labelledby="price">
      <h2 id="price">
        Price: {price} <bdi>{facts.token.name}</bdi>
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
          <WalletChoice wallets={wallets} wallet={wallet} isBusy={purchase.isBusy} choose={choose} />
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

type GivenWallets = {
  readonly wallets: readonly ChosenWallet[];
  readonly wallet: ChosenWallet;
  readonly isBusy: boolean;
  readonly choose: (id: string) => void;
};

function WalletChoice({ wallets, wallet, isBusy, choose }: GivenWallets) {
  return (
    <>
      <label for="wallet">Pay with</label>
      <select
        id="wallet"
        value={wallet.id}
        disabled={isBusy}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {wallets.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}

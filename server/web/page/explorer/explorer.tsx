import type { SiteFacts } from '../../facts.ts';
import { Lookup } from './lookup.tsx';
import { Payment } from './payment.tsx';
import { Proof } from './proof.tsx';
import { SavedFile } from './saved-file.tsx';
import { Transaction } from './transaction.tsx';

export const title = 'Explorer';

/** The view that the path names: one transaction, one payment, one proof, or the forms that find them. */
export function View({ facts }: { readonly facts: SiteFacts }) {
  const [, kind = '', encoded = ''] = /^\/(tx|payment|proof)\/([^/]+)$/.exec(location.pathname) ?? [];
  const id = decodeURIComponent(encoded);
  switch (kind) {
    case 'tx':
      return <Transaction hash={id} facts={facts} />;
    case 'payment':
      return <Payment nonce={id} facts={facts} />;
    case 'proof':
      return <Proof id={id} facts={facts} />;
    default:
      return (
        <>
          <h1>Explorer</h1>
          <p class="lead">
            Look up your transaction, your payment or your proof. The page lists nothing: only who has an id
            sees what it names. It never shows prompts or completions.
          </p>
          <Lookup />
          <SavedFile facts={facts} />
        </>
      );
  }
}

import type { SiteFacts } from '../../facts.ts';
import type { SitePayment } from '../../payments.ts';
import { formatAmount, formatCount, formatTime } from '../format.ts';
import { Fact, Hex, Notice } from '../parts.tsx';
import { link } from '../root.ts';
import { findTransaction } from './find-transaction.ts';
import { Lookup } from './lookup.tsx';
import { ReadAgain } from './read-again.tsx';
import { readHex } from './read-hex.ts';
import { readJson } from './read-json.ts';
import { CheckNote, StepList } from './step-list.tsx';
import { type AskedPayment, checkPayment, type FoundTransaction } from './transfers.ts';
import { useLoaded } from './use-loaded.ts';

type Shown = { readonly payment: SitePayment; readonly found: FoundTransaction | null };

/** A payment, for a visitor who knows its nonce and its payer. */
export function Payment({ id: nonce, facts }: { readonly id: string; readonly facts: SiteFacts }) {
  const payer = readHex(new URLSearchParams(location.search).get('payer') ?? '', 20);
  return (
    <>
      <h1>Payment</h1>
      <p>
        Nonce <Hex text={nonce} />
      </p>
      {payer === null ? (
        <>
          <Notice kind="open" title="The page needs the address that paid">
            <p>It shows a payment only to a visitor who knows both the nonce and the payer.</p>
          </Notice>
          <Lookup kind="payment" id={nonce} />
        </>
      ) : (
        <OnePayment asked={{ nonce, payer }} facts={facts} />
      )}
    </>
  );
}

function OnePayment({ asked, facts }: { readonly asked: AskedPayment; readonly facts: SiteFacts }) {
  const loaded = useLoaded(() => load(asked));
  const { state } = loaded;
  return (
    <>
      {state.kind === 'loading' && <p role="status">Your browser reads the payment …</p>}
      {state.kind === 'failed' && (
        <Notice kind="bad" title={state.message}>
          <p>
            Check the nonce and the address that paid. The <a href={link('/explorer')}>explorer</a> has a form
            for both.
          </p>
        </Notice>
      )}
      {state.kind === 'loaded' && <Found {...state.value} asked={asked} facts={facts} />}
      <ReadAgain {...loaded} />
    </>
  );
}

async function load({ nonce, payer }: AskedPayment): Promise<Shown> {
  const payment = await readJson<SitePayment>(`/web/payments/${nonce}?payer=${payer}`);
  if (!payment.ok) throw new Error(payment.message);
  const { txHash } = payment.value;
  return { payment: payment.value, found: txHash === null ? null : await findTransaction(txHash) };
}

const meanings: Readonly<Record<SitePayment['state'], string>> = {
  reserved: 'The price is held back. The model runs.',
  executed: 'The completion is stored. The transfer is not sent yet.',
  submitted: 'The transfer is sent and waits for a block.',
  settled: 'The chain moved the tokens.',
  final: 'The chain moved the tokens, and no reorganisation can undo it.',
  released: 'Nothing was charged.',
  failed: 'The chain refused the transfer.',
  expired: 'The signature ended before the chain accepted the transfer.',
};

type Given = Shown & { readonly asked: AskedPayment; readonly facts: SiteFacts };

function Found({ payment, found, asked, facts }: Given) {
  const { state, amount, payTo, settlementType, reservedAt, settledAt, txHash, validBefore } = payment;
  const times: [string, number | null][] = [
    ['Reserved, before the inference', reservedAt],
    ['Settled', settledAt],
    ['Mined, by the clock of the chain', found?.minedAt ?? null],
  ];
  return (
    <>
      <p class="lead">
        <strong>{state}</strong>: {meanings[state]}
      </p>
      <dl class="facts">
        <Fact name="Amount">
          {formatAmount(BigInt(amount), facts.token.decimals)} {facts.token.name}
        </Fact>
        <Fact name="Settlement type">
          <code>{settlementType}</code>
        </Fact>
        <Fact name="Payer">
          <Hex text={asked.payer} />
        </Fact>
        <Fact name="Recipient">
          <Hex text={payTo} />
        </Fact>
        <Fact name="Transaction">
          {txHash === null ? 'none yet' : <Hex text={txHash} href={link(`/tx/${txHash}`)} />}
        </Fact>
        <Fact name="Confirmations">{found === null ? 'none yet' : formatCount(found.confirmations)}</Fact>
      </dl>
      <h2>Times</h2>
      <ol>
        {times
          .filter(([, at]) => at !== null)
          .map(([name, at]) => (
            <li key={name}>
              {name}: {formatTime(Number(at))}
            </li>
          ))}
        <li class="quiet">The signature ends: {formatTime(Number(validBefore))}</li>
      </ol>
      <h2>Verification</h2>
      <StepList steps={checkPayment(payment, found, asked, facts)} />
      <CheckNote />
    </>
  );
}

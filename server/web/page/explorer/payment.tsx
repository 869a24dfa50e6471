import type { SiteFacts } from '../../facts.ts';
import type { SitePayment } from '../../payments.ts';
import { formatAmount, formatCount, formatTime } from '../format.ts';
import { Fact, Hex, Notice } from '../parts.tsx';
import { readJson } from './read-json.ts';
import { CheckNote, StepList } from './step-list.tsx';
import { checkPayment, type FoundTransaction, findTransaction } from './transfers.ts';
import { useLoaded } from './use-loaded.ts';

type Shown = { readonly payment: SitePayment; readonly found: FoundTransaction | null };

/** A payment, for a visitor who knows its nonce and its payer. */
export function Payment({ id: nonce, facts }: { readonly id: string; readonly facts: SiteFacts }) {
  const payer = new URLSearchParams(location.search).get('payer') ?? '';
  const state = useLoaded(() => load(nonce, payer));
  return (
    <>
      <h1>Payment</h1>
      <p>
        Nonce <Hex text={nonce} />
      </p>
      {state.kind === 'loading' && <p role="status">Your browser reads the payment …</p>}
      {state.kind === 'failed' && (
        <Notice kind="bad" title={state.message}>
          <p>
            The page shows a payment only with the address that paid. Enter both in the{' '}
            <a href="/explorer">explorer</a>.
          </p>
        </Notice>
      )}
      {state.kind === 'loaded' && <Found {...state.value} facts={facts} />}
    </>
  );
}

async function load(nonce: string, payer: string): Promise<Shown> {
  const payment = await readJson<SitePayment>(
    `/web/payments/${encodeURIComponent(nonce)}?payer=${encodeURIComponent(payer)}`,
  );
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

function Found({ payment, found, facts }: Shown & { readonly facts: SiteFacts }) {
  const { state, amount, payer, payTo, settlementType, reservedAt, settledAt, txHash, validBefore } = payment;
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
          <Hex text={payer} />
        </Fact>
        <Fact name="Recipient">
          <Hex text={payTo} />
        </Fact>
        <Fact name="Transaction">
          {txHash === null ? 'none yet' : <Hex text={txHash} href={`/tx/${txHash}`} />}
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
      <StepList steps={checkPayment(payment, found, facts)} />
      <CheckNote />
    </>
  );
}

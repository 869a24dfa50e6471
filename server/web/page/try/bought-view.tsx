import type { SavedExchange } from '@paid-inference/client';
import type { Message, ToolCall } from '@paid-inference/contract/types';
import { useEffect, useState } from 'preact/hooks';
import { CheckNote, type ShownStep, StepList } from '../explorer/step-list.tsx';
import { Hex, Notice } from '../parts.tsx';
import { link } from '../root.ts';
import type { Bought } from './purchase.ts';

type Given = {
  readonly bought: Bought;
  readonly steps: readonly ShownStep[] | string | null;
  readonly goOn: (results: readonly Message[]) => void;
};

/** A purchase that succeeded: the completion, the way to the next request, and the verification. */
export function BoughtView({ bought, steps, goOn }: Given) {
  const { completion, exchange } = bought;
  const message = completion.choices[0]?.message;
  const calls = message?.tool_calls ?? [];
  return (
    <>
      <section class="panel" aria-labelledby="completion">
        <h2 id="completion">Completion</h2>
        {message?.content && (
          <p class="chat" dir="auto">
            {message.content}
          </p>
        )}
        {calls.length > 0 ? (
          <ToolResults calls={calls} goOn={goOn} />
        ) : (
          <p>
            <button type="button" onClick={() => goOn([])}>
              Continue this conversation
            </button>
          </p>
        )}
      </section>
      <Links bought={bought} />
      {exchange !== null && <Verification steps={steps} />}
    </>
  );
}

/** The model called a tool. The visitor plays the tool. */
function ToolResults({ calls, goOn }: { readonly calls: readonly ToolCall[]; readonly goOn: Given['goOn'] }) {
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const send = () =>
    goOn(
      calls.map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: results[id] ?? '{"status":"shipped"}',
      })),
    );
  return (
    <>
      {calls.map(({ id, function: { name, arguments: given } }) => (
        <div key={id}>
          <p>
            The model calls the tool <code>{name}</code> with <code>{given}</code>.
          </p>
          <label for={`result-${id}`}>Result of {name}</label>
          <input
            id={`result-${id}`}
            class="hex"
            value={results[id] ?? '{"status":"shipped"}'}
            onInput={({ currentTarget }) => setResults({ ...results, [id]: currentTarget.value })}
          />
        </div>
      ))}
      <p>
        <button type="button" onClick={send}>
          Continue with this result
        </button>
      </p>
    </>
  );
}

/** Where the visitor can follow the payment and its proof. */
function Links({ bought }: { readonly bought: Bought }) {
  const { receipt, payer, nonce, proofId, exchange } = bought;
  return (
    <ul>
      {receipt !== null && (
        <li>
          Transaction <Hex text={receipt.txHash} href={link(`/tx/${receipt.txHash}`)} />
        </li>
      )}
      <li>
        Payment <Hex text={nonce} href={link(`/payment/${nonce}?payer=${payer}`)} />
      </li>
      {proofId !== null && (
        <li>
          Proof <Hex text={proofId} href={link(`/proof/${proofId}`)} />
        </li>
      )}
      {exchange !== null && <SaveLink exchange={exchange} />}
    </ul>
  );
}

function SaveLink({ exchange }: { readonly exchange: SavedExchange }) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(
      new Blob([JSON.stringify(exchange, null, 2)], { type: 'application/json' }),
    );
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [exchange]);
  return (
    <li>
      <a href={url} download="bought.json">
        Save the purchase
      </a>{' '}
      to verify it later. The file has your request and the completion.
    </li>
  );
}

function Verification({ steps }: Pick<Given, 'steps'>) {
  return (
    <section class="panel" aria-labelledby="verification">
      <h2 id="verification">Verification in your browser</h2>
      {steps === null && (
        <p role="status">Your browser verifies the purchase, and waits for the record of the proof …</p>
      )}
      {typeof steps === 'string' && <Notice kind="bad" title={steps} />}
      {steps !== null && typeof steps !== 'string' && (
        <>
          <StepList steps={steps} />
          <CheckNote />
        </>
      )}
    </section>
  );
}

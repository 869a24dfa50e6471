import { useState } from 'preact/hooks';
import { Notice } from '../parts.tsx';
import { link } from '../root.ts';
import { readHex } from './read-hex.ts';

const kinds = {
  proof: { name: 'A proof', label: 'Proof id, from X-INFERENCE-PROOF' },
  payment: { name: 'A payment', label: 'Nonce of the authorization' },
  tx: { name: 'A transaction', label: 'Transaction hash, from X-PAYMENT-RESPONSE' },
} as const;
type Kind = keyof typeof kinds;

type Given = { readonly kind?: Kind; readonly id?: string };

/** The form that opens the view of one id. */
export function Lookup({ kind: firstKind = 'proof', id: firstId = '' }: Given) {
  const [kind, setKind] = useState<Kind>(firstKind);
  const [fault, setFault] = useState<string | null>(null);
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const id = readHex(String(fields.get('id') ?? ''), 32);
    const payer = readHex(String(fields.get('payer') ?? ''), 20);
    if (id === null) return setFault('An id has 64 hex digits, with or without 0x.');
    if (kind === 'payment' && payer === null)
      return setFault('An address has 40 hex digits, with or without 0x.');
    location.assign(link(`/${kind}/${id}${kind === 'payment' ? `?payer=${payer}` : ''}`));
  };
  return (
    <form class="panel" onSubmit={open} noValidate>
      <h2>Look up an id</h2>
      <label for="kind">What is it?</label>
      <select id="kind" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
        {Object.entries(kinds).map(([value, { name }]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <label for="id">{kinds[kind].label}</label>
      <HexInput name="id" value={firstId} />
      {kind === 'payment' && (
        <>
          <label for="payer">Address that paid</label>
          <HexInput name="payer" value="" />
        </>
      )}
      {fault !== null && <Notice kind="bad" title={fault} />}
      <p>
        <button type="submit" class="main">
          Look up
        </button>
      </p>
    </form>
  );
}

function HexInput({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <input
      id={name}
      name={name}
      class="hex"
      autocomplete="off"
      spellcheck={false}
      placeholder="0x…"
      defaultValue={value}
    />
  );
}

import { useState } from 'preact/hooks';
import { Notice } from '../parts.tsx';

const kinds = {
  proof: { name: 'A proof', label: 'Proof id, from X-INFERENCE-PROOF' },
  payment: { name: 'A payment', label: 'Nonce of the authorization' },
  tx: { name: 'A transaction', label: 'Transaction hash, from X-PAYMENT-RESPONSE' },
} as const;
type Kind = keyof typeof kinds;

/** The form that opens the view of one id. */
export function Lookup() {
  const [kind, setKind] = useState<Kind>('proof');
  const [fault, setFault] = useState<string | null>(null);
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const id = String(fields.get('id') ?? '').trim();
    const payer = String(fields.get('payer') ?? '').trim();
    if (!/^0x[0-9a-fA-F]{64}$/.test(id)) return setFault('An id has 0x and 64 hex digits.');
    if (kind === 'payment' && !/^0x[0-9a-fA-F]{40}$/.test(payer))
      return setFault('An address has 0x and 40 hex digits.');
    location.assign(`/${kind}/${id}${kind === 'payment' ? `?payer=${payer}` : ''}`);
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
      <input id="id" name="id" class="hex" autocomplete="off" spellcheck={false} placeholder="0x…" />
      {kind === 'payment' && (
        <>
          <label for="payer">Address that paid</label>
          <input
            id="payer"
            name="payer"
            class="hex"
            autocomplete="off"
            spellcheck={false}
            placeholder="0x…"
          />
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

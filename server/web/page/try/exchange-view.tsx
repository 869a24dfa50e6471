import { Copyable } from '../parts.tsx';
import type { Entry } from './exchange-log.ts';

/** The exchange, step by step. Each step opens to its bytes, and to a program that does it. */
export function ExchangeView({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby="exchange">
      <h2 id="exchange">The exchange</h2>
      <ol class="steps">
        {entries.map((entry, at) => (
          <li key={entry.id}>
            <span class="sign" aria-hidden="true">
              {at + 1}
            </span>
            <Step entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Step({ entry: { title, note, raw, decoded, program } }: { readonly entry: Entry }) {
  const parts: readonly (readonly [name: string, text: string | null])[] = [
    ['Decoded', decoded],
    ['Raw bytes', raw],
    ['As a program', program],
  ];
  return (
    <div>
      <strong>{title}</strong>
      <br />
      <span class="quiet">{note}</span>
      {parts.map(
        ([name, text]) =>
          text !== null && (
            <details key={name}>
              <summary>{name}</summary>
              <Copyable text={text} label={`${title}, ${name.toLowerCase()}`} />
            </details>
          ),
      )}
    </div>
  );
}

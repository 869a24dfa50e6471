import { Copyable } from '../parts.tsx';
import type { Entry } from './exchange-log.ts';

/** The exchange, step by step. Each step opens to its bytes. */
export function ExchangeView({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby="exchange">
      <h2 id="exchange">The exchange</h2>
      <ol class="steps">
        {entries.map(({ id, title, note, raw, decoded }, at) => (
          <li key={id}>
            <span class="sign" aria-hidden="true">
              {at + 1}
            </span>
            <div>
              <strong>{title}</strong>
              <br />
              <span class="quiet">{note}</span>
              {decoded !== null && (
                <details>
                  <summary>Decoded</summary>
                  <Copyable text={decoded} label={`${title}, decoded`} />
                </details>
              )}
              <details>
                <summary>Raw bytes</summary>
                <Copyable text={raw} label={`${title}, raw bytes`} />
              </details>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

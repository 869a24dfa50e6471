import { useRef, useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import { Notice } from '../parts.tsx';
import { gatewayUrl } from '../root.ts';
import { CheckNote, type ShownStep, StepList } from './step-list.tsx';

type State =
  | { readonly kind: 'empty' }
  | { readonly kind: 'checking' }
  /** `elsewhere` is the gateway that sold the purchase, if it is another one. */
  | { readonly kind: 'checked'; readonly steps: readonly ShownStep[]; readonly elsewhere: string | null }
  | { readonly kind: 'failed'; readonly message: string };

/** The largest file that the page reads. A saved exchange has one request and one response. */
const bytesMax = 16 * 1_048_576;

async function check(file: File, facts: SiteFacts): Promise<State> {
  if (file.size > bytesMax) return { kind: 'failed', message: 'The file is too large for a saved exchange' };
  const [{ readExchange }, { verifySaved }] = await Promise.all([
    import('@paid-inference/client'),
    import('./verify.ts'),
  ]);
  const read = readExchange(await file.text());
  if (!read.ok) return { kind: 'failed', message: `This is no saved exchange: ${read.message}` };
  const { steps } = await verifySaved(read.exchange, facts, 0);
  return { kind: 'checked', steps, elsewhere: findElsewhere(read.exchange.request.url, facts) };
}

/** The origin of another gateway; null for this one. */
function findElsewhere(url: string, { gateway }: SiteFacts): string | null {
  const origin = URL.parse(url)?.origin ?? 'an unknown place';
  const own = [gateway, gatewayUrl].map((each) => new URL(each).origin);
  return own.includes(origin) ? null : origin;
}

/** Verifies a saved exchange. The file stays in the browser. */
export function SavedFile({ facts }: { readonly facts: SiteFacts }) {
  const [state, setState] = useState<State>({ kind: 'empty' });
  const chosen = useRef<File | null>(null);
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    chosen.current = file;
    setState({ kind: 'checking' });
    const checked = await check(file, facts).catch((cause: unknown): State => {
      const why = cause instanceof Error ? cause.message : String(cause);
      return { kind: 'failed', message: `The file could not be verified: ${why}` };
    });
    // The visitor may have chosen another file meanwhile.
    if (chosen.current === file) setState(checked);
  };
  return (
    <section class="panel" aria-labelledby="saved">
      <h2 id="saved">Verify a saved purchase</h2>
      <p>
        The playground saves a purchase, and so does <code>paid-inference chat --save</code>. Your browser
        verifies the file, and sends it nowhere.
      </p>
      <label for="file">Saved exchange (JSON)</label>
      <input
        id="file"
        type="file"
        accept="application/json,.json"
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      {state.kind === 'checking' && <p role="status">Your browser verifies the file …</p>}
      {state.kind === 'failed' && <Notice kind="bad" title={state.message} />}
      {state.kind === 'checked' && <Result steps={state.steps} elsewhere={state.elsewhere} />}
    </section>
  );
}

function Result({ steps, elsewhere }: Omit<Extract<State, { readonly kind: 'checked' }>, 'kind'>) {
  return (
    <>
      <h3>Result</h3>
      {elsewhere !== null && (
        <Notice kind="open" title={`This purchase is from ${elsewhere}`}>
          <p>
            This page trusts only the contracts of its own gateway, so some checks of another gateway's
            purchase fail here. Verify the file at the page of that gateway, or with{' '}
            <code>npx paid-inference verify</code>.
          </p>
        </Notice>
      )}
      <StepList steps={steps} />
      <CheckNote />
    </>
  );
}

import { useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import { Notice } from '../parts.tsx';
import { CheckNote, type ShownStep, StepList } from './step-list.tsx';

type State =
  | { readonly kind: 'empty' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'checked'; readonly steps: readonly ShownStep[] }
  | { readonly kind: 'failed'; readonly message: string };

/** The largest file that the page reads. A saved exchange has one request and one response. */
const bytesMax = 16 * 1_048_576;

/** Verifies a saved exchange. The file stays in the browser. */
export function SavedFile({ facts }: { readonly facts: SiteFacts }) {
  const [state, setState] = useState<State>({ kind: 'empty' });
  const check = async (file: File | undefined) => {
    if (file === undefined) return;
    setState({ kind: 'checking' });
    if (file.size > bytesMax)
      return setState({ kind: 'failed', message: 'The file is too large for a saved exchange' });
    const [{ readExchange }, { verifySaved }] = await Promise.all([
      import('@paid-inference/client'),
      import('./verify.ts'),
    ]);
    const read = readExchange(await file.text());
    if (!read.ok) return setState({ kind: 'failed', message: `This is no saved exchange: ${read.message}` });
    setState({ kind: 'checked', steps: await verifySaved(read.exchange, facts, 0) });
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
        onChange={({ currentTarget }) => void check(currentTarget.files?.[0])}
      />
      {state.kind === 'checking' && <p role="status">Your browser verifies the file …</p>}
      {state.kind === 'failed' && <Notice kind="bad" title={state.message} />}
      {state.kind === 'checked' && (
        <>
          <h3>Result</h3>
          <StepList steps={state.steps} />
          <CheckNote />
        </>
      )}
    </section>
  );
}

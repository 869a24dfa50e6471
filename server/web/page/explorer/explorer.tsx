import type { ComponentType } from 'preact';
import type { SiteFacts } from '../../facts.ts';
import { Notice } from '../parts.tsx';
import { viewPath } from '../root.ts';
import { Lookup } from './lookup.tsx';
import { readHex } from './read-hex.ts';
import { SavedFile } from './saved-file.tsx';
import { useLoaded } from './use-loaded.ts';

type Given = { readonly facts: SiteFacts };
type OneView = ComponentType<Given & { readonly id: string }>;

export const title = 'Explorer';

/** The views of one id. Each loads the verifier, which the forms do not need. */
const views: ReadonlyMap<string, () => Promise<OneView>> = new Map([
  ['tx', async () => (await import('./transaction.tsx')).Transaction],
  ['payment', async () => (await import('./payment.tsx')).Payment],
  ['proof', async () => (await import('./proof.tsx')).Proof],
]);

/** The view that the path names: one transaction, one payment, one proof, or the forms that find them. */
export function View({ facts }: Given) {
  const [, kind = '', encoded = ''] = /^\/(\w+)\/([^/]+)$/.exec(viewPath) ?? [];
  const load = views.get(kind);
  const id = readHex(decode(encoded), 32);
  if (load !== undefined && id !== null) return <One load={load} id={id} facts={facts} />;
  return (
    <>
      <h1>Explorer</h1>
      {load !== undefined && (
        <Notice kind="bad" title="The address of this page has no valid id">
          <p>An id has 64 hex digits. Enter it below.</p>
        </Notice>
      )}
      <p class="lead">
        Look up your transaction, your payment or your proof. The page lists nothing: you see only what your
        id names. The page never shows prompts or completions.
      </p>
      <Lookup />
      <SavedFile facts={facts} />
    </>
  );
}

/** The id in the path. Empty where the path has no valid encoding. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

function One({ load, id, facts }: Given & { readonly load: () => Promise<OneView>; readonly id: string }) {
  // A function in the state would be called as an update.
  const { state } = useLoaded(async () => ({ Found: await load() }));
  if (state.kind === 'loading') return <p role="status">Your browser loads the verifier …</p>;
  if (state.kind === 'failed')
    return (
      <>
        <h1>Explorer</h1>
        <Notice kind="bad" title="The verifier could not be loaded">
          <p>{state.message}. Load the page again.</p>
        </Notice>
      </>
    );
  const { Found } = state.value;
  return <Found id={id} facts={facts} />;
}

import type { ComponentType } from 'preact';
import type { SiteFacts } from '../../facts.ts';
import { Notice } from '../parts.tsx';
import { Lookup } from './lookup.tsx';
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
  const [, kind = '', encoded = ''] = /^\/(\w+)\/([^/]+)$/.exec(location.pathname) ?? [];
  const load = views.get(kind);
  if (load !== undefined) return <One load={load} id={decodeURIComponent(encoded)} facts={facts} />;
  return (
    <>
      <h1>Explorer</h1>
      <p class="lead">
        Look up your transaction, your payment or your proof. The page lists nothing: only who has an id sees
        what it names. It never shows prompts or completions.
      </p>
      <Lookup />
      <SavedFile facts={facts} />
    </>
  );
}

function One({ load, id, facts }: Given & { readonly load: () => Promise<OneView>; readonly id: string }) {
  // A function in the state would be called as an update.
  const state = useLoaded(async () => ({ Found: await load() }));
  if (state.kind === 'loading') return <p role="status">Your browser loads the verifier …</p>;
  if (state.kind === 'failed') return <Notice kind="bad" title={state.message} />;
  const { Found } = state.value;
  return <Found id={id} facts={facts} />;
}

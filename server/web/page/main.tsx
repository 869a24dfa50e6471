import { type ComponentType, h, render } from 'preact';
import type { SiteFacts } from '../facts.ts';
import { title, View } from './front/front.tsx';
import { Notice } from './parts.tsx';
import { readFacts } from './read-facts.ts';

type AnyView = ComponentType<{ readonly facts: SiteFacts }>;
type Loaded = { readonly title: string; readonly View: AnyView };

/** The views by path. Each but the first is a script of its own, so that the first one stays small. */
const views: readonly (readonly [path: RegExp, load: () => Promise<Loaded>])[] = [
  [/^\/$/, async () => ({ title, View })],
  [/^\/try$/, () => import('./try/try.tsx')],
  [/^\/(?:explorer|tx\/.*|payment\/.*|proof\/.*)$/, () => import('./explorer/explorer.tsx')],
];

async function show(): Promise<void> {
  const main = document.getElementById('main');
  const load = views.find(([path]) => path.test(location.pathname))?.[1];
  if (main === null || load === undefined) return;
  try {
    const [view, facts] = await Promise.all([load(), readFacts()]);
    document.title = `${view.title} – Paid inference gateway`;
    render(h(view.View, { facts }), main);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    render(
      <Notice kind="bad" title="This view could not be loaded">
        <p>{why}. Load the page again. If that does not help, the gateway may be down.</p>
      </Notice>,
      main,
    );
  }
}

for (const link of document.querySelectorAll<HTMLAnchorElement>('.top nav a')) {
  const isHere =
    link.pathname === location.pathname ||
    (link.pathname === '/explorer' && /^\/(?:tx|payment|proof)\//.test(location.pathname));
  if (isHere) link.setAttribute('aria-current', 'page');
}
void show();

import { type ComponentType, h, render } from 'preact';
import type { SiteFacts } from '../facts.ts';
import { title, View } from './front/front.tsx';
import { Notice } from './parts.tsx';
import { readFacts } from './read-facts.ts';
import { link, viewPath } from './root.ts';

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
  const load = views.find(([path]) => path.test(viewPath))?.[1];
  if (main === null || load === undefined) return;
  try {
    const [view, facts] = await Promise.all([load(), readFacts()]);
    document.title = `${view.title} – Paid inference gateway`;
    render(h(view.View, { facts }), main);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    render(
      <>
        <h1>Paid inference gateway</h1>
        <Notice kind="bad" title="This view could not be loaded">
          <p>{why}. Load the page again. If that does not help, the gateway may be down.</p>
        </Notice>
      </>,
      main,
    );
  }
}

for (const anchor of document.querySelectorAll<HTMLAnchorElement>('.top nav a')) {
  const isHere =
    anchor.pathname === location.pathname ||
    (anchor.pathname === link('/explorer') && /^\/(?:tx|payment|proof)\//.test(viewPath));
  if (isHere) anchor.setAttribute('aria-current', 'page');
}
void show();

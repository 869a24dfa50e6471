import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

/** A message that stands out. */
export function Notice({
  kind,
  title,
  children,
}: {
  readonly kind: 'good' | 'bad' | 'open';
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class={`panel notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

/** A text with a button that copies it. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="copyable">
      {/* Another text is not copied yet. */}
      <CopyButton key={text} text={text} label={label} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a text is no group of fields */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** Copies a text to the clipboard, and says so to screen readers too. */
function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, say] = useState('Copy');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Not copied'),
    );
  return (
    <button type="button" class="small" aria-label={`${said}: ${label}`} onClick={copy}>
      <span aria-live="polite">{said}</span>
    </button>
  );
}

/** A hash or an address, which may break anywhere. */
export function Hex({ text, href }: { readonly text: string; readonly href?: string }) {
  return href === undefined ? (
    <span class="hex">{text}</span>
  ) : (
    <a class="hex" href={href}>
      {text}
    </a>
  );
}

export type Tab = { readonly name: string; readonly content: ComponentChildren };

const arrows: ReadonlyMap<string, number> = new Map([
  ['ArrowRight', 1],
  ['ArrowLeft', -1],
]);

/** Tabs after the pattern of the WAI: arrows move, and only the chosen tab is in the tab order. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [chosen, choose] = useState(0);
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = arrows.get(event.key);
    if (step === undefined) return;
    const next = (chosen + step + tabs.length) % tabs.length;
    choose(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} tabIndex={-1} onKeyDown={move}>
        {tabs.map(({ name }, at) => (
          <button
            key={name}
            id={`${id}-tab-${at}`}
            type="button"
            role="tab"
            aria-selected={at === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={at === chosen ? 0 : -1}
            onClick={() => choose(at)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${chosen}`}>
        {tabs[chosen]?.content}
      </div>
    </div>
  );
}

/** A name and its value in a list of facts. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

import { type ComponentChildren, h, type VNode } from 'preact';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** An element. Unlike `h`, it takes `data-` attributes without the types of a browser. */
export function el(name: string, attributes: Attributes | null, ...children: ComponentChildren[]): VNode {
  return h(name, attributes, ...children);
}

/** References to decisions and sections, which say nothing to a reader of the page. */
const references =
  /\s\((?:(?:contract )?(?:sections?|contract) [\d.§]+|D-\d+)(?:(?:,\s|\sand\s|;\s)(?:(?:section )?[\d.]+|D-\d+))*\)/g;

/** A description without references, with the words between backticks as code. */
export function prose(text: string): readonly ComponentChildren[] {
  return text
    .replace(references, '')
    .replace(/, D-\d+(?=\))/g, '')
    .split('`')
    .map((part, at) => (at % 2 === 1 ? el('code', null, part) : part));
}

/** A value as indented JSON. */
export function json(value: unknown): VNode {
  return el('pre', { tabindex: 0 }, el('code', null, JSON.stringify(value, null, 2)));
}

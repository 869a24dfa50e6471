import { visible } from './visible.ts';

/** Elements and escaped text. Documents contain nothing else. */
export type Markup = { readonly markup: string };
export type Child = Markup | string | undefined;
export type Attributes = Readonly<Record<string, string | undefined>>;

/** HTML elements without an end tag. All others get one, so that the text is also well-formed XML. */
const voidElements = new Set(['meta', 'input', 'br']);

/** An element. String children are escaped as text; undefined attributes and children are left out. */
export function element(name: string, attributes: Attributes, ...children: readonly Child[]): Markup {
  const attributeText = Object.entries(attributes)
    .map(([key, value]) => (value === undefined ? '' : ` ${key}="${escapeAttribute(value)}"`))
    .join('');
  if (voidElements.has(name)) return { markup: `<${name}${attributeText} />` };
  return { markup: `<${name}${attributeText}>${join(children).markup}</${name}>` };
}

export function join(children: readonly Child[]): Markup {
  const texts = children.map((child) => {
    if (child === undefined) return '';
    return typeof child === 'string' ? escapeText(child) : child.markup;
  });
  return { markup: texts.join('') };
}

function escapeText(text: string): string {
  return visible(text).replace(/[&<>]/g, asReference);
}

function escapeAttribute(text: string): string {
  return visible(text).replace(/[&<>"'\n\t]/g, asReference);
}

function asReference(character: string): string {
  return `&#${character.codePointAt(0)};`;
}

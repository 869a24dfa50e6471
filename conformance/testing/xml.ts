/** An element of a well-formed document. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
};

const token =
  /<\?xml [^?]*\?>|<!doctype html>|<(?<close>\/)?(?<name>[a-zA-Z][\w-]*)(?<attributes>(?:\s+[\w:-]+="[^"<]*")*)\s*(?<empty>\/)?>|(?<text>[^<]+)/uy;
// XML 1.0 allows tab, line breaks and Unicode without other control characters. A search, because a match over
// megabytes overflows.
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** A strict XML reader: one root, matching tags, and only valid characters and numeric references. */
export function readXml(source: string): XmlElement {
  if (illegal.test(source)) throw new Error('the document has a character that XML forbids');
  const root: { name: string; attributes: Record<string, string>; children: (XmlElement | string)[] } = {
    name: '',
    attributes: {},
    children: [],
  };
  const open = [root];
  for (token.lastIndex = 0; token.lastIndex < source.length; ) {
    const at = token.lastIndex;
    const found = token.exec(source);
    const parent = open.at(-1);
    if (!found || !parent) throw new Error(`no markup at ${at}: ${source.slice(at, at + 80)}`);
    const { name, close, empty, attributes = '', text } = found.groups ?? {};
    if (text !== undefined) parent.children.push(dereferenced(text));
    else if (close) {
      if (parent.name !== name) throw new Error(`</${name}> closes <${parent.name}>`);
      open.pop();
    } else if (name !== undefined) {
      const child = { name, attributes: readAttributes(attributes), children: [] };
      parent.children.push(child);
      if (!empty) open.push(child);
    }
  }
  const [only, ...others] = root.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (open.length !== 1 || others.length > 0 || only === undefined || typeof only === 'string') {
    throw new Error('the document must have one root element');
  }
  return only;
}

/** All descendant elements with the name. */
export function listElements(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return [...(child.name === name ? [child] : []), ...listElements(child, name)];
  });
}

export function readText(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : readText(child))).join('');
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)];
  if (new Set(pairs.map(([, name]) => name)).size !== pairs.length) {
    throw new Error(`duplicate attribute: ${text}`);
  }
  return Object.fromEntries(pairs.map(([, name, value = '']) => [name, dereferenced(value)]));
}

function dereferenced(text: string): string {
  if (text.includes(']]>')) throw new Error('the text contains ]]>');
  if (/&(?!#\d+;)/.test(text)) throw new Error(`invalid reference: ${text.slice(0, 80)}`);
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

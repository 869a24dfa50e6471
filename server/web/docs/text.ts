import { type ComponentChildren, h } from 'preact';

/** References to decisions and sections, which say nothing to a reader of the page. */
const references = / \((?:(?:section|contract|sections) [\d.§]+|D-\d+)(?:(?:, | and |; )(?:(?:section )?[\d.]+|D-\d+))*\)/g;

/** A description without references, with the words between backticks as code. */
export function prose(text: string): readonly ComponentChildren[] {
  return text
    .replace(references, '')
    .split('`')
    .map((part, at) => (at % 2 === 1 ? h('code', null, part) : part));
}

/** A value as indented JSON. */
export function json(value: unknown) {
  return h('pre', { tabindex: 0 }, h('code', null, JSON.stringify(value, null, 2)));
}

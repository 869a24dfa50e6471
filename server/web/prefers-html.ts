import { listItems } from './list-items.ts';

/**
 * Whether a client asks for HTML by name, as browsers do, and does not prefer JSON. `*` and a missing header ask for
 * nothing by name, so programs keep the responses of the contract (D-371).
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = listItems(accept);
  const html = qualityOf(ranges, /^(?:text\/html|application\/xhtml\+xml)$/);
  return html > 0 && html >= qualityOf(ranges, /^application\/(?:[\w.-]+\+)?json$/);
}

/** The highest quality of the media types that match (RFC 9110 12.5.1); 0 for none. */
function qualityOf(ranges: readonly string[], wanted: RegExp): number {
  const qualities = ranges.map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (!wanted.test(type)) return 0;
    const quality = parameters.find((each) => each.startsWith('q='));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  });
  return Math.max(0, ...qualities);
}

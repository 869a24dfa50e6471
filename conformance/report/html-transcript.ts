import type { EvidenceEntry } from '../engine/transcript.ts';
import { curlLine, decodedHeader } from './curl.ts';
import { element, type Markup } from './markup.ts';

/**
 * One exchange: the request as a curl line, and the response. An id, unique in the page, makes it a link
 * target.
 */
export function exchangeDetails({ number, request, response, failure }: EvidenceEntry, id?: string): Markup {
  const { pathname } = new URL(request.url);
  const ended = response ? `${response.status}` : 'no response';
  return element(
    'details',
    { class: 'exchange' },
    element('summary', {}, `#${number} ${request.method} ${pathname} → ${ended}`),
    element(
      'div',
      // The id is on an inner element, so that a link to the id opens the details element.
      { ...(id !== undefined && { id }), class: 'exchanged' },
      element('pre', { class: 'curl' }, curlLine(request)),
      response
        ? element('pre', {}, responseText(response))
        : element('pre', { class: 'failure' }, failure ?? 'no response'),
    ),
  );
}

function responseText({ status, headers, body }: NonNullable<EvidenceEntry['response']>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => {
    const decoded = name.includes('payment') ? decodedHeader(value) : value;
    return decoded === value ? [`${name}: ${value}`] : [`${name}: ${value}`, `    ${decoded}`];
  });
  return [`${status}`, ...lines, '', body].join('\n');
}

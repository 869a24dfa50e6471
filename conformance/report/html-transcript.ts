import type { EvidenceEntry } from '../engine/transcript.ts';
import { curlLine, decodedHeader } from './curl.ts';
import { element, type Markup } from './markup.ts';

/** One exchange: how to repeat it, and what came back. With an id, which stands once in a page, links can lead to it. */
export function exchangeDetails({ number, request, answer, failure }: EvidenceEntry, id?: string): Markup {
  const { pathname } = new URL(request.url);
  const ended = answer ? `${answer.status}` : 'no answer';
  return element(
    'details',
    { class: 'exchange' },
    element('summary', {}, `#${number} ${request.method} ${pathname} → ${ended}`),
    element(
      'div',
      // The id is within, not on it: a browser opens what it must to show where a link leads.
      { ...(id !== undefined && { id }), class: 'exchanged' },
      element('pre', { class: 'curl' }, curlLine(request)),
      answer
        ? element('pre', {}, answerText(answer))
        : element('pre', { class: 'failure' }, failure ?? 'no answer'),
    ),
  );
}

function answerText({ status, headers, body }: NonNullable<EvidenceEntry['answer']>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => {
    const decoded = name.includes('payment') ? decodedHeader(value) : value;
    return decoded === value ? [`${name}: ${value}`] : [`${name}: ${value}`, `    ${decoded}`];
  });
  return [`${status}`, ...lines, '', body].join('\n');
}

import type { EvidenceEntry } from '../engine/transcript.ts';
import { decodeBase64, decodeJson } from '../wire/base64-json.ts';

/** Characters of a header or a body that the console shows; the report has more. */
const shownMax = 600;

/** What was sent, as a line for a shell; secrets are placeholders already. */
export function curlLine({ method, url, headers, body }: EvidenceEntry['request']): string {
  const parts = [
    'curl',
    '-i',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoted(url),
    ...Object.entries(headers)
      .filter(([name]) => name !== 'Accept' && name !== 'User-Agent')
      .flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...(body === null ? [] : ['--data', quoted(body)]),
  ];
  return parts.join(' ');
}

/** What came back: the status, the payment headers (decoded where they can be), the body. */
export function answerLine({ answer, failure }: EvidenceEntry): string {
  if (!answer) return `no answer: ${failure}`;
  const told = Object.entries(answer.headers).filter(([name]) => name.includes('payment'));
  const headers = told.map(([name, value]) => ` ${name}: ${cut(decoded(value))}`).join('');
  return `${answer.status}${headers} ${cut(answer.body)}`.trimEnd();
}

function decoded(header: string): string {
  const bytes = decodeBase64(header);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok ? `<base64 of> ${JSON.stringify(value.value)}` : header;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function cut(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

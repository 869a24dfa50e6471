import type { EvidenceEntry } from '../engine/transcript.ts';
import { decodeBase64, decodeJson } from '../wire/base64-json.ts';
import { jsonText } from '../wire/json-text.ts';
import { visibleLine } from './visible.ts';

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
      .filter(([name]) => !/^(accept|user-agent)$/i.test(name))
      // With a colon and nothing behind it curl would leave the header out.
      .flatMap(([name, value]) => ['-H', quoted(value === '' ? `${name};` : `${name}: ${value}`)]),
    ...(body === null ? [] : ['--data-raw', quoted(body)]),
  ];
  return parts.join(' ');
}

/** What came back: the status, the payment headers (decoded where they can be), the body. */
export function answerLine({ answer, failure }: EvidenceEntry): string {
  if (!answer) return `no answer: ${visibleLine(failure ?? '', shownMax)}`;
  const reported = Object.entries(answer.headers).filter(([name]) => name.includes('payment'));
  const headers = reported
    .map(([name, value]) => ` ${name}: ${visibleLine(decodedHeader(value), shownMax)}`)
    .join('');
  return `${answer.status}${headers} ${visibleLine(answer.body, shownMax)}`.trimEnd();
}

/** What a header says, read from base64 of JSON where it is that. */
export function decodedHeader(header: string): string {
  const bytes = decodeBase64(header);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok ? `<base64 of> ${jsonText(value.value)}` : header;
}

/** Controls, and the end of a line or the mark of a command to some readers. */
const obeyed = /[\p{C}\p{Zl}\p{Zp}]|##[a-z]*\[/iu;

/** A word for a shell. What a terminal or a CI would obey is written as its escape, which bash and zsh read back. */
function quoted(text: string): string {
  if (!obeyed.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replaceAll(/##(?=[a-z]*\[)/gi, '#\\x23')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
      const bytes = [...Buffer.from(character, 'utf8')];
      return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
    });
  return `$'${escaped}'`;
}

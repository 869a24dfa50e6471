import type { EvidenceEntry } from '../engine/transcript.ts';
import { decodeBase64, decodeJson } from '../wire/base64-json.ts';
import { jsonText } from '../wire/json-text.ts';
import { visibleLine } from './visible.ts';

/** Characters of a header or a body that the console shows. The report shows more. */
const shownMax = 600;

/** The request as a curl line. Secrets are already replaced. */
export function curlLine({ method, url, headers, body }: EvidenceEntry['request']): string {
  const parts = [
    'curl',
    '-i',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoted(url),
    ...Object.entries(headers)
      .filter(([name]) => !/^(accept|user-agent)$/i.test(name))
      // curl leaves out a header with a colon and no value.
      .flatMap(([name, value]) => ['-H', quoted(value === '' ? `${name};` : `${name}: ${value}`)]),
    ...(body === null ? [] : ['--data-raw', quoted(body)]),
  ];
  return parts.join(' ');
}

/** The response in one line: status, payment headers (decoded if possible), and body. */
export function responseLine({ response, failure }: EvidenceEntry): string {
  if (!response) return `no response: ${visibleLine(failure ?? '', shownMax)}`;
  const reported = Object.entries(response.headers).filter(([name]) => name.includes('payment'));
  const headers = reported
    .map(([name, value]) => ` ${name}: ${visibleLine(decodedHeader(value), shownMax)}`)
    .join('');
  return `${response.status}${headers} ${visibleLine(response.body, shownMax)}`.trimEnd();
}

/** The value of a header, decoded if it is base64 of JSON. */
export function decodedHeader(header: string): string {
  const bytes = decodeBase64(header);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok ? `<base64 of> ${jsonText(value.value)}` : header;
}

/** Control characters, line separators, and the mark of a CI command. */
const obeyed = /[\p{C}\p{Zl}\p{Zp}]|##[a-z]*\[/iu;

/**
 * Quotes a word for a shell. Control characters and CI commands are written as escapes that bash and zsh read.
 */
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

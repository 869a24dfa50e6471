import { type KeyObject, verify } from 'node:crypto';
import { shown } from '../key.ts';
import { type DerValue, readDer } from './der.ts';

const tags = { sequence: 0x30, bitString: 0x03, utcTime: 0x17, generalizedTime: 0x18 } as const;

/**
 * The reason why a revocation list (DER) is not its issuer's or not current; null when it is both. The
 * signature must be ECDSA with SHA-256. The entries of the list are not checked here.
 */
export function crlFault(list: Buffer, issuer: KeyObject, atSeconds: number): string | null {
  try {
    const [whole] = readDer(list);
    const [toBeSigned, , signature] = readDer(whole?.content ?? Buffer.alloc(0));
    if (toBeSigned === undefined || signature?.tag !== tags.bitString) return unreadable;
    // The first byte of a BIT STRING counts its unused bits. A signature has none.
    if (!verify('sha256', toBeSigned.whole, issuer, signature.content.subarray(1))) {
      return 'the list of revoked certificates is not signed by its issuer';
    }
    const [from, until] = readDer(toBeSigned.content).filter(isTime).map(readSeconds);
    if (from === undefined || until === undefined) return 'the list of revoked certificates has no end date';
    if (atSeconds < from || atSeconds > until) {
      return `the list of revoked certificates is valid from ${shown(from)} to ${shown(until)}`;
    }
    return null;
  } catch {
    return unreadable;
  }
}

const unreadable = 'the list of revoked certificates cannot be read';

function isTime({ tag }: DerValue): boolean {
  return tag === tags.utcTime || tag === tags.generalizedTime;
}

/** Reads `YYMMDDHHMMSSZ` up to 2049, and a year of four digits from 2050 on (RFC 5280, section 4.1.2.5). */
function readSeconds({ tag, content }: DerValue): number {
  const text = content.toString('latin1');
  const full = tag === tags.generalizedTime ? text : `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}`;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? [];
  const seconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
  if (Number.isNaN(seconds)) throw new RangeError('not a time');
  return seconds;
}

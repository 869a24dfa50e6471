import { type KeyObject, verify } from 'node:crypto';
import { shown } from '../key.ts';
import { type DerValue, readDer } from './der.ts';

const tagOf = { sequence: 0x30, bitString: 0x03, utcTime: 0x17, generalizedTime: 0x18 } as const;

/**
 * Why a list of revoked certificates (DER) is not its issuer's, or not of this time; null where it is both. Signed with
 * ECDSA and SHA-256. Who is on it is not looked at here.
 */
export function crlFault(list: Buffer, issuer: KeyObject, atSeconds: number): string | null {
  try {
    const [whole] = readDer(list);
    const [toBeSigned, , signature] = readDer(whole?.content ?? Buffer.alloc(0));
    if (toBeSigned === undefined || signature?.tag !== tagOf.bitString) return unreadable;
    // The first byte of a BIT STRING counts its unused bits, of which a signature has none.
    if (!verify('sha256', toBeSigned.whole, issuer, signature.content.subarray(1))) {
      return 'the list of revoked certificates is not signed by its issuer';
    }
    const [from, until] = readDer(toBeSigned.content).filter(isTime).map(secondsOf);
    if (from === undefined || until === undefined) return 'the list of revoked certificates has no end';
    if (atSeconds < from || atSeconds > until) {
      return `the list of revoked certificates is good from ${shown(from)} to ${shown(until)}`;
    }
    return null;
  } catch {
    return unreadable;
  }
}

const unreadable = 'the list of revoked certificates cannot be read';

function isTime({ tag }: DerValue): boolean {
  return tag === tagOf.utcTime || tag === tagOf.generalizedTime;
}

/** `YYMMDDHHMMSSZ` until 2049, with a century from 2050 on (RFC 5280, section 4.1.2.5). */
function secondsOf({ tag, content }: DerValue): number {
  const text = content.toString('latin1');
  const full = tag === tagOf.generalizedTime ? text : `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}`;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? [];
  const seconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
  if (Number.isNaN(seconds)) throw new RangeError('a time that is none');
  return seconds;
}

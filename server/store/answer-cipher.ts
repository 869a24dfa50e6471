import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

export const answerKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals answers and their proofs at rest, each for its own payment: moved to another place they do not open. */
export type AnswerCipher = {
  /** AES-256-GCM: nonce, ciphertext and tag in one. */
  seal(id: number, text: string, part?: SealedPart): Uint8Array;
  /** Null when it was sealed with another key, for another payment, or was changed since. */
  open(id: number, sealed: Uint8Array, part?: SealedPart): string | null;
  /** Something that only this key opens, to be kept beside what it seals. */
  mark(): Uint8Array;
  /** Whether the mark was made with this key. */
  knows(mark: Uint8Array): boolean;
};

/** What of a payment is sealed; the answer unless it is said. */
export type SealedPart = 'answer' | 'proof';

export function createAnswerCipher(keyBytes: Uint8Array): AnswerCipher {
  if (keyBytes.length !== answerKeyBytes)
    throw new Error(`an answer key has ${answerKeyBytes} bytes, not ${keyBytes.length}`);
  const key = createSecretKey(keyBytes);
  // No payment has this id.
  const markId = 0;
  const markText = 'paid-inference answer key';
  return {
    seal,
    open,
    mark: () => seal(markId, markText),
    knows: (mark) => open(markId, mark) === markText,
  };

  function seal(id: number, text: string, part: SealedPart = 'answer'): Uint8Array {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(placeOf(id, part));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  function open(id: number, sealed: Uint8Array, part: SealedPart = 'answer'): string | null {
    if (sealed.length < nonceBytes + tagBytes) return null;
    const tagAt = sealed.length - tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(placeOf(id, part));
    decipher.setAuthTag(sealed.subarray(tagAt));
    try {
      const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, tagAt)), decipher.final()]);
      return text.toString('utf8');
    } catch {
      // The tag does not fit; there is nothing more to learn from the exception.
      return null;
    }
  }
}

function placeOf(id: number, part: SealedPart): Buffer {
  // An answer has no suffix, for stores hold answers that were sealed before there were proofs.
  return Buffer.from(part === 'answer' ? String(id) : `${id}:${part}`);
}

/** What an operator is told when the key is not the one that sealed what the store holds. */
export const wrongAnswerKey =
  'the answers in this store were sealed with another key: put that key back, or give up those answers by deleting ' +
  'the row of the table answer_key (no payment is lost by that)';

/** What an operator is told of a single answer that does not open under the right key. */
export function unreadableAnswer(id: number): string {
  return `the answer of payment ${id} was changed on disk and cannot be read: it counts as dropped`;
}

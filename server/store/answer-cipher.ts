import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

export const answerKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals answers at rest, each for its own payment: moved to another row it does not open. */
export type AnswerCipher = {
  /** AES-256-GCM: nonce, ciphertext and tag in one. */
  seal(id: number, answer: string): Uint8Array;
  /** Null when it was sealed with another key, for another payment, or was changed since. */
  open(id: number, sealed: Uint8Array): string | null;
  /** Something that only this key opens, to be kept beside what it seals. */
  mark(): Uint8Array;
  /** Whether the mark was made with this key. */
  knows(mark: Uint8Array): boolean;
};

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

  function seal(id: number, answer: string): Uint8Array {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(String(id)));
    return Buffer.concat([nonce, cipher.update(answer, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  function open(id: number, sealed: Uint8Array): string | null {
    if (sealed.length < nonceBytes + tagBytes) return null;
    const tagAt = sealed.length - tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(String(id)));
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

/** What an operator is told when the key is not the one that sealed what the ledger holds. */
export const wrongAnswerKey =
  'the answers in this ledger were sealed with another key: put that key back, or give up those answers by deleting ' +
  'the row of the table answer_key (no payment is lost by that)';

/** What an operator is told of a single answer that does not open under the right key. */
export function unreadableAnswer(id: number): string {
  return `the answer of payment ${id} was changed on disk and cannot be read: it counts as dropped`;
}

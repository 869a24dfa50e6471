import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';

export const completionKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts completions and their proofs at rest. Each ciphertext is bound to its payment: moved to another
 * payment, the ciphertext does not decrypt.
 */
export type CompletionCipher = {
  /** AES-256-GCM: nonce, ciphertext and tag in one. */
  seal(id: number, text: string, part?: SealedPart): Uint8Array;
  /** Null when the text was encrypted with another key or for another payment, or was changed since. */
  open(id: number, sealed: Uint8Array, part?: SealedPart): string | null;
  /** A ciphertext that only this key decrypts. The store keeps the mark to recognise its key. */
  mark(): Uint8Array;
  /** Whether the mark was made with this key. */
  knows(mark: Uint8Array): boolean;
};

/** The part of a payment that is encrypted; the completion by default. */
export type SealedPart = 'completion' | 'proof';

export function createCompletionCipher(keyBytes: Uint8Array): CompletionCipher {
  if (keyBytes.length !== completionKeyBytes)
    throw new Error(
      `the key of the completions must have ${completionKeyBytes} bytes, not ${keyBytes.length}`,
    );
  const key = createSecretKey(keyBytes);
  // No payment has this id.
  const markId = 0;
  // Existing stores have a mark of this text, so the text must stay.
  const markText = 'paid-inference answer key';
  return {
    seal,
    open,
    mark: () => seal(markId, markText),
    knows: (mark) => open(markId, mark) === markText,
  };

  function seal(id: number, text: string, part: SealedPart = 'completion'): Uint8Array {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    cipher.setAAD(encodePlace(id, part));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  function open(id: number, sealed: Uint8Array, part: SealedPart = 'completion'): string | null {
    if (sealed.length < nonceBytes + tagBytes) return null;
    const tagAt = sealed.length - tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(encodePlace(id, part));
    decipher.setAuthTag(sealed.subarray(tagAt));
    try {
      const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, tagAt)), decipher.final()]);
      return text.toString('utf8');
    } catch {
      // The key is another, or the text was changed. The exception tells no more than the failed tag.
      return null;
    }
  }
}

function encodePlace(id: number, part: SealedPart): Buffer {
  // A completion has no suffix, because stores hold completions from before proofs existed.
  return Buffer.from(part === 'completion' ? String(id) : `${id}:${part}`);
}

/** The advice to an operator who lost the key of the completions (D-236). */
export const lostKeyAdvice =
  'If the key is lost, stop every gateway of the store, delete the row of the table completion_key, and start. The ' +
  'gateway then releases the payments that were never sent, and logs those that you may have to pay back. Payers who ' +
  'paid shortly before cannot get their completions again';

/** The error for the operator when the store's completions were encrypted with another key. */
export const wrongCompletionKey = `the completions in this store were encrypted with another key. Put that key back. ${lostKeyAdvice}`;

/** The log message when one completion does not decrypt although the key is right. */
export function unreadableCompletion(id: number): string {
  return `The completion of payment ${id} was changed on disk and cannot be read. The gateway treats the completion as dropped.`;
}

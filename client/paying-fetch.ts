import { readKey } from './cli/key.ts';
import { createPayingFetch } from './create-paying-fetch.ts';
import type { PayerOptions } from './pay.ts';
import { openJournal } from './payment/file-journal.ts';

export { openJournal } from './payment/file-journal.ts';

export type PayingFetchOptions = Omit<PayerOptions, 'signer' | 'journal'> & {
  /** The file with the payer's key, which only its owner may read. */
  readonly keyFile: string;
  /** The file where the payments are kept; made if it does not exist. */
  readonly journalFile: string;
};

/**
 * A `fetch` for OpenAI's SDK, LangChain, the AI SDK, or any library that takes a `fetch`. It pays within the rules,
 * and sends the same payment again until there is a completion, also after a crash. Throws for an unusable file, or
 * for invalid rules.
 */
export function payingFetch({
  keyFile,
  journalFile,
  ...options
}: PayingFetchOptions): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  // Programs in JavaScript have no types. A variable of the environment may be unset.
  for (const [name, file] of Object.entries({ keyFile, journalFile }))
    if (typeof file !== 'string' || file === '') throw new TypeError(`payingFetch: ${name} names no file`);
  const key = readKey(keyFile, {});
  if (!key.ok) throw new Error(key.message);
  return createPayingFetch({ ...options, signer: key.wallet, journal: openJournal(journalFile) });
}

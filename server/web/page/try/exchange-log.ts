import type { WalletProvider } from '@paid-inference/client';
import { headerNames } from '@paid-inference/contract/constants';
import { decodeProgram, recoverProgram, requestProgram, signProgram } from './step-program.ts';
import type { WalletWait } from './wallet-wait.ts';

/** One step of the exchange, as the page shows it. */
export type Entry = {
  readonly id: number;
  readonly title: string;
  readonly note: string;
  /** The bytes of the step, as text. */
  readonly raw: string;
  /** The same, decoded; null where there is nothing to decode. */
  readonly decoded: string | null;
  /** A program or a command that does this step. */
  readonly program: string;
};

export type AddEntry = (entry: Omit<Entry, 'id'>) => (more: Partial<Omit<Entry, 'id'>>) => void;

/** A fetch that shows each request and each response. */
export function recordingFetch(add: AddEntry): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const sent = new Headers(init.headers);
    const payment = sent.get(headerNames.payment);
    const body =
      init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : String(init.body ?? '');
    const method = init.method ?? 'GET';
    const program = requestProgram(method, url, sent, body);
    add({
      title: payment === null ? 'Request without a payment' : 'The same request, with the payment',
      note: payment === null ? 'It asks for the price.' : `${headerNames.payment} has the signature.`,
      raw: `${method} ${new URL(url).pathname}\n${headerText(sent)}\n\n${body}`,
      decoded: payment === null ? null : decodeHeader(payment),
      program,
    });
    const response = await fetch(url, init).catch((cause: unknown) => {
      const raw = cause instanceof Error ? cause.message : String(cause);
      const note = 'The connection ended before the gateway responded.';
      add({ title: 'No response', note, raw, decoded: null, program });
      throw cause;
    });
    showResponse(response, payment !== null, program, add);
    return response;
  };
}

function showResponse(response: Response, isPaid: boolean, program: string, add: AddEntry): void {
  const { status, headers } = response;
  const head = `${status} ${response.statusText}\n${headerText(headers)}\n\n`;
  const offer = headers.get(headerNames.paymentRequired);
  const update = add({
    title: `Response ${status}`,
    note: offer === null ? describeStatus(status) : describeOffer(isPaid),
    raw: head,
    decoded: offer === null ? null : decodeHeader(offer),
    program: offer === null ? program : decodeProgram(offer),
  });
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  // The client reads the response itself, so this reads a copy.
  void response
    .clone()
    .text()
    .then(
      (text) => update({ raw: head + text }),
      () => update({ note: 'The response broke off.' }),
    );
  addHeader(
    headers,
    headerNames.paymentResponse,
    'Receipt',
    `${headerNames.paymentResponse} names the transaction.${isStream ? ' The completion follows as events.' : ''}`,
    add,
  );
  addHeader(
    headers,
    headerNames.inferenceProof,
    'Proof of the inference',
    `${headerNames.inferenceProof} has the hashes, signed by the enclave key.`,
    add,
  );
}

function addHeader(headers: Headers, name: string, title: string, note: string, add: AddEntry): void {
  const raw = headers.get(name);
  if (raw !== null) add({ title, note, raw, decoded: decodeHeader(raw), program: decodeProgram(raw) });
}

function describeOffer(isPaid: boolean): string {
  return isPaid
    ? 'The gateway refused the payment, and sends its offer again. The body has the reason.'
    : 'Payment required: the offer has the price, the token and the recipient.';
}

function describeStatus(status: number): string {
  return status === 200
    ? 'The gateway settled the payment and sends the completion.'
    : 'The gateway explains itself in the body.';
}

/** The file of the key in the programs of the page. */
const keyFile = 'payer.key';

/** A wallet that shows the fields that it signs, and the signature. */
export function recordingWallet(wallet: WalletProvider, wait: WalletWait, add: AddEntry): WalletProvider {
  return {
    async request(call) {
      if (call.method !== 'eth_signTypedData_v4') return wait.until(wallet.request(call));
      const text = String(call.params?.[1]);
      add({
        title: 'Fields to sign',
        note: 'The wallet shows them to you and signs them as EIP-712 typed data.',
        raw: text,
        decoded: JSON.stringify(JSON.parse(text), null, 2),
        program: signProgram(text, keyFile),
      });
      const signature = String(await wait.until(wallet.request(call)));
      add({
        title: 'Signature',
        note: 'It is valid once, for exactly this transfer.',
        raw: signature,
        decoded: null,
        program: recoverProgram(text, signature),
      });
      return signature;
    },
  };
}

function headerText(headers: Headers): string {
  return [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
}

/** The JSON of a header in base64; null for another header. */
function decodeHeader(header: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
  } catch {
    return null;
  }
}

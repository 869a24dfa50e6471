import type { WalletProvider } from '@paid-inference/client';
import { headerNames } from '@paid-inference/contract/constants';

/** One step of the exchange, as the page shows it. */
export type Entry = {
  readonly id: number;
  readonly title: string;
  readonly note: string;
  /** The bytes of the step, as text. */
  readonly raw: string;
  /** The same, decoded; null where there is nothing to decode. */
  readonly decoded: string | null;
};

export type AddEntry = (entry: Omit<Entry, 'id'>) => (more: Partial<Omit<Entry, 'id'>>) => void;

/** A fetch that shows each request and each response. */
export function recordingFetch(add: AddEntry): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const sent = new Headers(init.headers);
    const payment = sent.get(headerNames.payment);
    const body =
      init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : String(init.body ?? '');
    add({
      title: payment === null ? 'Request without a payment' : 'The same request, with the payment',
      note: payment === null ? 'It asks for the price.' : `${headerNames.payment} has the signature.`,
      raw: `${init.method ?? 'GET'} ${new URL(url).pathname}\n${headerText(sent)}\n\n${body}`,
      decoded: payment === null ? null : decode(payment),
    });
    const response = await fetch(url, init);
    showResponse(response, payment !== null, add);
    return response;
  };
}

function showResponse(response: Response, isPaid: boolean, add: AddEntry): void {
  const { status, headers } = response;
  const head = `${status} ${response.statusText}\n${headerText(headers)}\n\n`;
  const offer = headers.get(headerNames.paymentRequired);
  const update = add({
    title: `Response ${status}`,
    note: offer === null ? describeStatus(status) : describeOffer(isPaid),
    raw: head,
    decoded: offer === null ? null : decode(offer),
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
  const [receipt, proof] = [
    headers.get(headerNames.paymentResponse),
    headers.get(headerNames.inferenceProof),
  ];
  if (receipt !== null)
    add({
      title: 'Receipt',
      note: `${headerNames.paymentResponse} names the transaction.${isStream ? ' The completion follows as events.' : ''}`,
      raw: receipt,
      decoded: decode(receipt),
    });
  if (proof !== null)
    add({
      title: 'Proof of the inference',
      note: `${headerNames.inferenceProof} has the hashes, signed by the enclave key.`,
      raw: proof,
      decoded: decode(proof),
    });
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

/** A wallet that shows what it is asked to sign, and the signature. */
export function recordingWallet(wallet: WalletProvider, add: AddEntry): WalletProvider {
  return {
    async request(call) {
      if (call.method !== 'eth_signTypedData_v4') return wallet.request(call);
      const text = String(call.params?.[1]);
      add({
        title: 'Fields to sign',
        note: 'The wallet shows them to you and signs them as EIP-712 typed data.',
        raw: text,
        decoded: JSON.stringify(JSON.parse(text), null, 2),
      });
      const signature = await wallet.request(call);
      add({
        title: 'Signature',
        note: 'It is valid once, for exactly this transfer.',
        raw: String(signature),
        decoded: null,
      });
      return signature;
    },
  };
}

function headerText(headers: Headers): string {
  return [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');
}

function decode(header: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
  } catch {
    return null;
  }
}

import { headerNames } from '@paid-inference/contract/constants';
import { failed, refusedByGateway } from './failure.ts';
import type { Exchange } from './pay.ts';
import type { PaymentOutcome } from './payment/outcome.ts';
import type { Completed, PaidResult, Unreached } from './result.ts';
import type { StreamForm } from './stream/assembly.ts';

const unsent: PaymentOutcome = { state: 'unsent' };

/** The result of a paid call that is not streamed. */
export function readPaidResult<Chunk, Completion>(
  exchange: Exchange,
  { isCompletion, expected }: StreamForm<Chunk, Completion>,
): PaidResult<Completion> {
  if (exchange.kind === 'lost') return unreached(exchange);
  if (exchange.kind === 'refused') {
    const { refusal, offer } = exchange;
    return { kind: 'refused', by: 'rules', ...refusal, offer, payment: unsent };
  }
  const { received, payment } = exchange;
  const data = parse(received.body);
  if (isCompletion(data)) return { kind: 'completion', completion: data, ...describePayment(exchange) };
  if (received.response.status === 402 && received.error === null) return refusedByGateway(received, payment);
  return failed(received, payment, expected);
}

/** The members of a result that the headers of a 200 decide. */
export function describePayment({
  received,
  payment,
  replayed,
  receiptFault,
}: Extract<Exchange, { kind: 'responded' }>): Omit<Completed<unknown>, 'kind' | 'completion'> {
  const { headers } = received.response;
  return {
    payment,
    receipt: payment.state === 'settled' ? payment.receipt : null,
    receiptFault,
    replayed,
    ignoredFields: headers.get(headerNames.ignoredFields)?.split(/, */) ?? [],
    requestId: headers.get(headerNames.requestId),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function unreached({ lost, payment }: Extract<Exchange, { kind: 'lost' }>): Unreached {
  return { kind: 'network', message: lost.message, payment };
}

import type { Edge } from '../edge.ts';
import type { Asked } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import {
  headerNamed,
  isObject,
  isPaid,
  objectIn,
  parsed,
  readPayment,
  withHeader,
  withJson,
  without,
  withTexts,
} from '../wire-edits.ts';
import { asServed, header, isInference, type Kills, pretext, type When } from './served-unpaid.ts';
import { readPayer } from './signature.ts';

/** Stores the completion of a paid request, and serves it again to an equal request without payment. */
function caching(isStored: When, key = ({ path, text }: Asked) => `${path} ${text}`): () => Edge {
  return () => {
    const stored = new Set<string>();
    return {
      respond: (reply, asked) => {
        if (!isStored(asked)) return reply;
        if (isPaid(asked) && reply.status === 200) stored.add(key(asked));
        return !isPaid(asked) && stored.has(key(asked)) ? asServed(reply) : reply;
      },
    };
  };
}

/** Sets a header on paid responses, and serves an unpaid request that returns its value. */
function openingSession(header: string, value: string, isReturned: When): () => Edge {
  return () => ({
    respond: (reply, asked) => {
      if (isPaid(asked)) return reply.status === 200 ? withHeader(reply, header, value) : reply;
      return isInference(asked) && isReturned(asked) ? asServed(reply) : reply;
    },
  });
}

/** Serves an unpaid request while an equal one is in progress that is paid for. */
function coalescing(): Edge {
  const underWay = new Map<string, number>();
  const equal = new WeakSet<Asked>();
  const key = ({ path, text }: Asked) => `${path} ${text}`;
  const count = (asked: Asked, by: number) => underWay.set(key(asked), countPaid(asked) + by);
  const countPaid = (asked: Asked) => underWay.get(key(asked)) ?? 0;
  return {
    read: (asked, forge) => {
      if (readPayer(readPayment(asked)) === forge.payer) count(asked, 1);
      else if (!isPaid(asked) && isInference(asked) && countPaid(asked) > 0) equal.add(asked);
      return asked;
    },
    respond: (reply, asked, forge) => {
      if (readPayer(readPayment(asked)) === forge.payer) count(asked, -1);
      return equal.has(asked) ? asServed(reply) : reply;
    },
  };
}

/** Sells each body once: a new payment for the same body gets 402. */
function refusingAgain(): Edge {
  const payments = new Map<string, string>();
  const keyOf = ({ path, text }: Asked) => `${path} ${text}`;
  return {
    read: async (asked, forge) => {
      const sold = payments.get(keyOf(asked));
      const isAgain = sold !== undefined && sold !== asked.headers['x-payment'];
      const isSigned = isAgain && (await forge.recoverSigner(asked)) === forge.payer;
      return isSigned ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked;
    },
    respond: (reply, asked) => {
      const payment = asked.headers['x-payment'];
      if (payment !== undefined && reply.status === 200) payments.set(keyOf(asked), payment);
      return reply;
    },
  };
}

/** Makes a completion for each request whose payment arrived with another request at the same time. */
function servingTogether(isServed: (asked: Asked, first: Asked) => boolean, areAlike = false): Edge {
  const firsts = new Map<string, Asked>();
  const twins = new WeakSet<Asked>();
  let completions = 0;
  return {
    // Called in the order of arrival.
    read: (asked, forge) => {
      const content = asked.headers['x-payment'];
      if (content === undefined || readPayer(readPayment(asked)) !== forge.payer) return asked;
      const first = firsts.get(content);
      if (!first && asked.beside > 0) firsts.set(content, asked);
      if (first && isServed(asked, first)) twins.add(asked);
      return asked;
    },
    respond: async (reply, asked, forge) => {
      if (!twins.has(asked)) return reply;
      completions += 1;
      const number = completions;
      const bought = await forge.buy(asked);
      const body = parsed(bought.text);
      return isObject(body) && !areAlike
        ? withJson(
            bought,
            withTexts(body, (text) => `${text} ${number}`),
          )
        : bought;
    },
  };
}

/** Sets a cookie on 402 responses, and serves an unpaid request that returns it. */
function openingSessionAtOnce(): Edge {
  return {
    respond: (reply, asked) => {
      if (isPaid(asked) || reply.status !== 402) return reply;
      return header('cookie', /offer=ok/)(asked)
        ? asServed(reply)
        : withHeader(reply, 'Set-Cookie', 'offer=ok');
    },
  };
}

/** Serves unpaid requests on a connection that carried a payment. */
function trustingConnections(): Edge {
  const trusted = new WeakSet<object>();
  return {
    respond: (reply, asked) => {
      if (isPaid(asked)) {
        if (reply.status === 200) trusted.add(asked.connection);
        return reply;
      }
      return trusted.has(asked.connection) && isInference(asked) ? asServed(reply) : reply;
    },
  };
}

/** Remembers its receipts, and serves a request that carries one of them, or a part of one, in this header. */
function servingReceipts(name: string, readPart: (receipt: string) => unknown = (receipt) => receipt): Edge {
  const known = new Set<unknown>();
  return {
    respond: (reply, asked) => {
      const receipt = headerNamed(reply.headers, 'X-PAYMENT-RESPONSE');
      if (receipt !== undefined) known.add(readPart(receipt));
      const sent = asked.headers[name];
      return sent !== undefined && readPayment(asked) === undefined && known.has(sent)
        ? asServed(reply)
        : reply;
    },
  };
}

/** The requirements that a mutant breaks which serves a request for an earlier payment. */
export const remembered: Kills = ['sequence.paid-then-unpaid', ...pretext];

/** Mutants that serve a request without payment because of an earlier payment. */
export const rememberingMutants: readonly Mutant[] = [
  {
    id: 'serves-for-a-receipt',
    does: 'serves an unpaid request with a receipt that it has issued',
    place: 'respond',
    kills: remembered,
    edge: () => servingReceipts('x-payment-response'),
  },
  {
    id: 'serves-for-an-own-receipt-as-payment',
    does: 'serves a request with a receipt that it has issued in X-PAYMENT',
    place: 'respond',
    kills: remembered,
    edge: () => servingReceipts('x-payment'),
  },
  {
    id: 'serves-for-an-own-hash-as-payment',
    does: 'serves a request with the hash of an earlier settlement in X-PAYMENT',
    place: 'respond',
    kills: remembered,
    edge: () => servingReceipts('x-payment', (receipt) => objectIn(receipt)?.['txHash']),
  },
  {
    id: 'serves-beside-an-equal-payment',
    does: 'serves an unpaid request while an equal request is in progress that is paid for',
    place: 'respond',
    kills: pretext,
    edge: coalescing,
  },
  {
    id: 'serves-one-payment-twice',
    does: 'makes two completions for a payment that arrives twice at the same time',
    place: 'respond',
    kills: ['sequence.paid-then-unpaid'],
    edge: () => servingTogether((asked, first) => asked.text === first.text),
  },
  {
    id: 'serves-one-payment-twice-alike',
    does: 'makes two completions with the same text for a payment that arrives twice at the same time',
    place: 'respond',
    kills: ['sequence.paid-then-unpaid'],
    edge: () => servingTogether((asked, first) => asked.text === first.text, true),
  },
  {
    id: 'serves-one-payment-for-two-bodies',
    does: 'makes two completions for a payment that arrives with two bodies at the same time',
    place: 'respond',
    kills: ['sequence.paid-then-unpaid'],
    edge: () => servingTogether((asked, first) => asked.text !== first.text),
  },
  {
    id: 'remembers-an-unpaid-cookie',
    does: 'serves an unpaid request with a cookie that it has set on a 402',
    place: 'respond',
    kills: pretext,
    edge: openingSessionAtOnce,
  },
  {
    id: 'refuses-a-body-again',
    does: 'asks for another payment instead of serving a body a second time',
    place: 'respond',
    kills: ['chat.200.status'],
    edge: refusingAgain,
  },
  {
    id: 'remembers-a-connection',
    does: 'serves an unpaid request on a connection that carried a payment',
    place: 'respond',
    kills: remembered,
    edge: trustingConnections,
  },
  ...(
    [
      [
        'temperature-0',
        'that has temperature 0 and was paid for before',
        caching(({ text }) => parseTemperature(text) === 0),
      ],
      [
        'private',
        'that has settlement type `private` and was paid for before',
        caching(header('x-settlement-type', /^private$/)),
      ],
      ['tools', 'that has tools and was paid for before', caching(({ text }) => text.includes('"tools"'))],
      [
        'a-key',
        'with the `Idempotency-Key` of a paid request',
        caching(header('idempotency-key'), ({ headers }) => headers['idempotency-key'] ?? ''),
      ],
      [
        'a-cookie',
        'with a cookie that it has set on a paid response',
        openingSession('Set-Cookie', 'sid=ok; Path=/', header('cookie', /sid=ok/)),
      ],
      [
        'a-token',
        'with an X-Session-Token that it has sent with a paid response',
        openingSession('X-Session-Token', 'ok', header('x-session-token', /^ok$/)),
      ],
    ] as const
  ).map(([id, what, edge]) => ({
    id: `remembers-${id}`,
    does: `serves an unpaid request ${what}`,
    place: 'respond' as const,
    kills: remembered,
    edge,
  })),
];

function parseTemperature(text: string): unknown {
  const body = parsed(text);
  return isObject(body) ? body['temperature'] : undefined;
}

import { paysOnce, recovers, whenStreamed } from '../rules.ts';
import { type Act, type Breakage, type Scenario, serve } from '../scenario.ts';

const retryAfter = { 'Retry-After': '1' };
const type = 'server_error';
const once = 'contract §4.4: "send the request again with it"; EIP-3009: a nonce pays once';
const again = 'contract §4.4; EIP-3009: the same authorization can be sent again';

/** A gateway whose first response to a payment is a fault. The same payment then gets the completion. */
function fault(id: string, gateway: string, when: string, first: Act): Scenario {
  return {
    id,
    gateway,
    acts: [first],
    requirements: [
      {
        id: `once.${id}`,
        level: 'MUST',
        title: `The client pays once ${when}.`,
        source: once,
        judge: paysOnce,
      },
      {
        id: `recovers.${id}`,
        level: 'SHOULD',
        title: `The client gets the completion of its payment ${when}.`,
        source: again,
        judge: recovers,
      },
    ],
  };
}

/** A fault after which a client need not try again. If it tries, it must send the same payment. */
function ending(id: string, gateway: string, when: string, first: Act): Scenario {
  const { requirements, ...scenario } = fault(id, gateway, when, first);
  return { ...scenario, requirements: requirements.filter(({ level }) => level === 'MUST') };
}

/** A gateway whose stream breaks. The same payment then gets the whole completion, with or without a stream. */
function brokenStream(
  id: string,
  gateway: string,
  when: string,
  breakage: Breakage,
  later: Act = serve,
): Scenario {
  const first: Act = { settles: true, ending: { kind: 'break-stream', breakage } };
  const { requirements, ...scenario } = fault(id, gateway, when, first);
  return {
    ...scenario,
    isStreamed: true,
    acts: [first, later],
    requirements: requirements.map((each) => ({ ...each, judge: whenStreamed(each.judge) })),
  };
}

export const brokenStreams: readonly Scenario[] = [
  brokenStream(
    'stream-unstarted',
    'settles and cuts the stream before its first event',
    'if its stream breaks before the first event',
    'unstarted',
  ),
  brokenStream(
    'stream-cut',
    'settles and cuts the stream in its middle',
    'if its stream breaks in the middle',
    'cut',
  ),
  brokenStream(
    'stream-undone',
    'settles and ends the stream without `[DONE]`',
    'if its stream ends without `[DONE]`',
    'undone',
  ),
  brokenStream(
    'stream-silence',
    'settles, falls silent in the middle of the stream, and closes the connection',
    'if its stream falls silent',
    'silence',
  ),
  brokenStream(
    'stream-error',
    'settles and ends the stream with an error',
    'if its stream ends with an error',
    'error',
  ),
  brokenStream(
    'stream-restart',
    'settles and cuts the stream, and streams the completion with another id to the second request',
    'if its second stream has another id',
    'cut',
    { settles: true, ending: { kind: 'serve', completionId: 'cmpl-2' } },
  ),
];

export const faults: readonly Scenario[] = [
  fault('unavailable', 'returns 503 `unavailable` before the settlement', 'after a 503', {
    settles: false,
    ending: { kind: 'error', status: 503, type, code: 'unavailable', headers: retryAfter },
  }),
  fault('pending', 'settles and returns 503 `settlement_pending`', 'while its settlement is pending', {
    settles: true,
    ending: {
      kind: 'error',
      status: 503,
      type,
      code: 'settlement_pending',
      headers: { ...retryAfter, 'x-should-retry': 'false' },
    },
  }),
  fault('error', 'settles and returns 500', 'after a 500', {
    settles: true,
    ending: { kind: 'error', status: 500, type, code: 'internal_error' },
  }),
  fault('rate-limit', 'returns 429 with `Retry-After` to the payment', 'after a 429', {
    settles: false,
    ending: {
      kind: 'error',
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limited',
      headers: retryAfter,
    },
  }),
  fault('bad-gateway', 'settles behind a proxy that returns a 502', 'after a 502 of a proxy', {
    settles: true,
    ending: { kind: 'page', status: 502 },
  }),
  fault('late-proxy', 'settles behind a proxy that returns a 408', 'after a 408 of a proxy', {
    settles: true,
    ending: { kind: 'page', status: 408 },
  }),
  ending('blocked', 'settles behind a proxy that returns a 403', 'after a 403 of a proxy', {
    settles: true,
    ending: { kind: 'page', status: 403 },
  }),
  ending(
    'page',
    'settles, and sends a page in the place of the completion',
    'after a 200 without a completion',
    {
      settles: true,
      ending: { kind: 'page', status: 200 },
    },
  ),
  fault('reset', 'settles and resets the connection', 'after a reset connection', {
    settles: true,
    ending: { kind: 'reset' },
  }),
  fault('silence', 'settles, sends nothing, and closes the connection', 'without a response', {
    settles: true,
    ending: { kind: 'silence' },
  }),
  fault('cut', 'settles and sends half of the completion', 'after half of a response', {
    settles: true,
    ending: { kind: 'cut' },
  }),
  {
    id: 'second-offer',
    gateway: 'settles, returns 402 with a second offer, and serves every later payment',
    acts: [{ settles: true, ending: { kind: 'offer' } }],
    requirements: [
      {
        id: 'once.second-offer',
        level: 'MUST',
        title: 'The client pays once if its payment gets a second offer.',
        source: once,
        judge: paysOnce,
      },
    ],
  },
];

import { id as hashText, hexlify, randomBytes, toBeHex } from 'ethers';
import type { Offer } from '../../payment/offer.ts';
import type { Breakage } from '../scenario.ts';
import { type Draft, type Failure, type Habits, lawful, type refusals } from './habits.ts';

/** A client that breaks one rule, and the requirements that must fail or warn. All others must pass. */
export type ClientMutant = {
  readonly id: string;
  /** What it does: third person present, without a subject. */
  readonly does: string;
  readonly breaks: readonly string[];
  /** The other requirements may stay undetermined, because the client does not reach them. */
  readonly hidesOthers?: true;
  /** Its timeouts are short, so it must not wait for other scenarios. */
  readonly isHasty?: true;
  /** New habits for each run, so that no state passes between runs. */
  readonly habits: () => Habits;
};

const brokenConnections = ['reset', 'silence', 'cut'];
/** The silent gateway cuts its stream in the end. */
const cutStreams = ['stream-cut', 'stream-silence', 'stream-restart'];
const brokenStreams = ['stream-unstarted', ...cutStreams, 'stream-undone', 'stream-error'];
const repeatable = ['unavailable', 'pending', 'error', 'rate-limit', 'bad-gateway', 'late-proxy'];
const allFaults = [...repeatable, ...brokenConnections, ...brokenStreams];
const falseTransactions = ['false-transaction', 'old-receipt'];
const falseReceipts = ['no-receipt', 'failed-receipt', 'foreign-receipt', 'other-chain-receipt'];
const ids = (group: string, names: readonly string[]) => names.map((name) => `${group}.${name}`);

function mutant(id: string, does: string, breaks: readonly string[], changed: Partial<Habits>): ClientMutant {
  return { id, does, breaks, habits: () => ({ ...lawful, ...changed }) };
}

/** Signs again after some failures, as the wrappers of SDKs do. */
function resigning(id: string, does: string, breaks: readonly string[], fits: (failure: Failure) => boolean) {
  const react: Habits['react'] = (failure) => (fits(failure) ? 'sign' : lawful.react(failure));
  return mutant(id, does, ids('once', breaks), { react });
}

const isStatus = (status: number) => (failure: Failure) =>
  failure.kind === 'status' && failure.status === status;

const isBroken = (breakage: Breakage) => (failure: Failure) =>
  failure.kind === 'broken-stream' && failure.breakage === breakage;

/** Takes a broken stream for the whole completion. */
function trustingStreams(id: string, does: string, breaks: readonly string[], breakage: Breakage) {
  return mutant(id, does, ids('recovers', breaks), { trustedStreams: [breakage] });
}

/** Signs offers without one of the checks. */
function careless(without: keyof typeof refusals, breaks: readonly string[]): ClientMutant {
  const refuses = lawful.refuses.filter((each) => each !== without);
  return mutant(`ignores-${without}`, `does not check the ${without} of an offer`, breaks, { refuses });
}

/** Accepts every receipt that the other checks accept. */
function trusting(without: Habits['checks'][number], breaks: readonly string[]): ClientMutant {
  const checks = lawful.checks.filter((each) => each !== without);
  return mutant(`trusts-${without}`, `does not check the ${without} of a receipt`, breaks, { checks });
}

function drafting(
  id: string,
  does: string,
  breaks: readonly string[],
  draft: (lawful: Draft, offer: Offer) => Partial<Draft>,
): ClientMutant {
  return mutant(id, does, breaks, { draft: (made, offer) => ({ ...made, ...draft(made, offer) }) });
}

const yearsSeconds = 50 * 365 * 86_400;

/** Counts from a random start, so that two runs differ. */
function countingNonces(): ClientMutant {
  let last = BigInt(hexlify(randomBytes(31)));
  return drafting('counts-nonces', 'uses a counter as nonce', ['nonce.random'], () => {
    last += 1n;
    return { nonce: toBeHex(last, 32) };
  });
}

export const clientMutants: readonly ClientMutant[] = [
  resigning('signs-after-503', 'signs again after a 503', ['unavailable', 'pending'], isStatus(503)),
  resigning('signs-after-500', 'signs again after a 500', ['error'], isStatus(500)),
  resigning('signs-after-429', 'signs again after a 429', ['rate-limit'], isStatus(429)),
  resigning('signs-after-502', 'signs again after a 502', ['bad-gateway'], isStatus(502)),
  resigning('signs-after-408', 'signs again after a 408', ['late-proxy'], isStatus(408)),
  resigning('signs-after-403', 'signs again after a 403', ['blocked'], isStatus(403)),
  resigning('signs-after-page', 'signs again after a 200 without a completion', ['page'], isStatus(200)),
  resigning('signs-after-redirect', 'signs again if its payment is redirected', ['redirect'], isStatus(307)),
  resigning('signs-after-break', 'signs again after a broken connection', brokenConnections, (failure) => {
    return failure.kind === 'broken' && !failure.isTimeout;
  }),
  {
    ...mutant('signs-after-timeout', 'signs again after its own timeout', ['once.silence'], {}),
    isHasty: true,
    habits: () => ({
      ...lawful,
      timeoutMs: 1_000,
      react: (failure) => (failure.kind === 'broken' && failure.isTimeout ? 'sign' : lawful.react(failure)),
    }),
  },
  resigning(
    'signs-after-unstarted-stream',
    'signs again after a stream without an event',
    ['stream-unstarted'],
    isBroken('unstarted'),
  ),
  resigning('signs-after-cut-stream', 'signs again after a cut stream', cutStreams, isBroken('cut')),
  resigning(
    'signs-after-undone-stream',
    'signs again after a stream without `[DONE]`',
    ['stream-undone'],
    isBroken('undone'),
  ),
  resigning(
    'signs-after-stream-error',
    'signs again after an error in a stream',
    ['stream-error'],
    isBroken('error'),
  ),
  {
    ...mutant(
      'signs-after-silent-stream',
      'signs again if its own timeout ends a stream',
      ['once.stream-silence'],
      {},
    ),
    isHasty: true,
    habits: () => ({
      ...lawful,
      timeoutMs: 1_000,
      react: (failure) => (isBroken('silence')(failure) ? 'sign' : lawful.react(failure)),
    }),
  },
  mutant('signs-for-other-id', 'signs again if the second stream has another id', ['once.stream-restart'], {
    paysForOtherId: true,
  }),
  trustingStreams('trusts-cut-streams', 'takes a cut stream for a whole one', cutStreams, 'cut'),
  trustingStreams(
    'trusts-undone-streams',
    'takes a stream without `[DONE]` for a whole one',
    ['stream-undone'],
    'undone',
  ),
  trustingStreams(
    'trusts-stream-errors',
    'takes a stream with an error for a whole one',
    ['stream-error'],
    'error',
  ),
  resigning('signs-second-offer', 'pays a second offer', ['second-offer'], isStatus(402)),
  {
    ...mutant(
      'signs-any-second-offer',
      'pays a second offer without checks',
      ['once.second-offer', 'refuses.price-raised', 'refuses.recipient-changed'],
      {},
    ),
    habits: () => ({
      ...lawful,
      checksLaterOffers: false,
      react: (failure) => (isStatus(402)(failure) ? 'sign' : lawful.react(failure)),
    }),
  },
  mutant('gives-up', 'sends no payment twice', ids('recovers', allFaults), { react: () => 'end' }),
  careless('price', ['refuses.price-above-cap']),
  careless('token', ['refuses.other-token']),
  careless('recipient', ['refuses.other-recipient']),
  careless('network', ['refuses.other-chain']),
  careless('scheme', ['refuses.other-scheme']),
  careless('resource', ['refuses.other-resource']),
  mutant(
    'follows-redirects',
    'follows redirects with its payment',
    ['refuses.redirect', 'refuses.redirect-unpaid'],
    { followsRedirects: 'all' },
  ),
  mutant(
    'follows-unpaid-redirects',
    'follows redirects before its payment, and pays there',
    ['refuses.redirect-unpaid'],
    { followsRedirects: 'unpaid' },
  ),
  mutant('pays-unasked', 'pays although the gateway asks for nothing', ['refuses.unasked'], {
    paysUnasked: true,
  }),
  trusting('presence', ['notices.no-receipt']),
  trusting('success', ['notices.failed-receipt']),
  trusting('payer', ['notices.foreign-receipt']),
  trusting('chain', ['notices.other-chain-receipt']),
  trusting('transaction', ids('notices', falseTransactions)),
  mutant('trusts-receipts', 'checks no receipt', ids('notices', [...falseReceipts, ...falseTransactions]), {
    checks: [],
  }),
  mutant(
    'pays-for-receipt',
    'signs again after a false receipt',
    ['once', 'notices'].flatMap((group) => ids(group, [...falseReceipts, ...falseTransactions])),
    {
      paysForReceipt: true,
    },
  ),
  drafting('overpays', 'signs its cap instead of the price', ['signs.value'], () => ({ value: 100_000n })),
  drafting(
    'never-expires',
    'signs without an end',
    ['window.end', 'window.long-offer'],
    ({ validBefore }) => ({
      validBefore: validBefore + yearsSeconds,
    }),
  ),
  drafting(
    'trusts-window',
    'signs for the whole time of each offer, without a limit of its own',
    ['window.long-offer'],
    ({ validBefore }, offer) => ({
      validBefore: offer.maxTimeoutSeconds > 86_400 ? validBefore + offer.maxTimeoutSeconds : validBefore,
    }),
  ),
  countingNonces(),
  drafting('short-nonces', 'uses a short number as nonce', ['nonce.random'], ({ nonce }) => ({
    nonce: `0x${nonce.slice(2, 10).padStart(64, '0')}`,
  })),
  {
    ...drafting(
      'repeats-nonces',
      'uses one nonce for equal purchases',
      ['buys.twice'],
      (_, { resource }) => ({
        nonce: hashText(resource),
      }),
    ),
    hidesOthers: true,
  },
  {
    ...drafting(
      'signs-other-version',
      'signs for another version of the token',
      ['signs.valid', 'buys.plain', 'buys.at-cap', 'buys.twice', 'buys.stream'],
      () => ({
        domainVersion: '2',
      }),
    ),
    hidesOthers: true,
  },
  {
    ...mutant('pays-nothing', 'refuses every offer', ids('buys', ['plain', 'at-cap', 'twice', 'stream']), {
      paysNothing: true,
    }),
    hidesOthers: true,
  },
  {
    ...mutant('refuses-cap', 'refuses the price that equals its cap', ['buys.at-cap'], {}),
    habits: () => ({ ...lawful, refuses: [...lawful.refuses, 'priceAtCap'] }),
  },
];

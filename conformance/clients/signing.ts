import { broken, holds, type Judgement, unknown } from '../types/verdict.ts';
import { listSigned, type Played, type Signed } from './recording.ts';
import type { WholeRequirement } from './scenario.ts';
import { isSignedFor } from './wire.ts';

const unsigned = unknown('the client signed nothing for an honest offer');
/** Clocks of one machine agree, but a client may round its time up. */
const toleranceSeconds = 10;
/** Fewer nonces can be similar by chance. */
const noncesMin = 3;
const sharedDigits = 16;
/** 32 random bytes have about 30 different values, and fewer than 16 once in 10^13 times. */
const valuesMin = 16;

/** Rules for all authorizations of a run that answer honest offers. */
export const signing: readonly WholeRequirement[] = [
  {
    id: 'signs.valid',
    level: 'MUST',
    title: 'The payer signed every authorization, for the token and the chain of the offer.',
    source: 'contract §4.4, step 4; EIP-712',
    judge: everyHonest('a valid signature', ({ payment, request }) =>
      request.offer !== undefined && isSignedFor(request.offer, payment)
        ? undefined
        : 'a signature of other data',
    ),
  },
  {
    id: 'signs.value',
    level: 'MUST',
    title: 'No authorization moves more than the offer asks for.',
    source: 'contract §2.9: "at most `maxAmountRequired`"',
    judge: everyHonest('at most the price', ({ payment, request }) => {
      const [{ value }, price] = [payment.authorization, request.offer?.maxAmountRequired];
      return price !== undefined && value > price ? `${value} units for a price of ${price}` : undefined;
    }),
  },
  {
    id: 'window.end',
    level: 'MUST',
    title: 'No authorization is valid for longer than its offer.',
    source: 'contract §2.8: `maxTimeoutSeconds`; x402: the scheme exact',
    judge: everyHonest('an end within the offer', ({ payment, request }) => {
      const { validBefore } = payment.authorization;
      const latest = request.atSeconds + (request.offer?.maxTimeoutSeconds ?? 0) + toleranceSeconds;
      return Number(validBefore) > latest
        ? `${Number(validBefore) - Math.floor(request.atSeconds)} s`
        : undefined;
    }),
  },
  {
    id: 'nonce.random',
    level: 'MUST',
    title: 'Nonces are random: no counter, no time, no short number.',
    source: 'contract §4.4: "a fresh 32-byte `nonce`"; EIP-3009: nonces are random',
    judge: haveRandomNonces,
  },
];

/** Judges each authorization for an honest offer by its fault. */
function everyHonest(expected: string, findFault: (signed: Signed) => string | undefined) {
  return (all: readonly Played[]): Judgement => {
    const honest = all.filter(({ isHonest }) => isHonest).flatMap(listSigned);
    const signed = honest.filter(({ request }) => request.offer !== undefined);
    if (signed.length === 0) return unsigned;
    const fault = signed.map(findFault).find((found) => found !== undefined);
    return fault === undefined ? holds(`${signed.length} authorizations`) : broken(expected, fault);
  };
}

function haveRandomNonces(all: readonly Played[]): Judgement {
  const nonces = all.flatMap(listSigned).map(({ payment }) => payment.authorization.nonce.slice(2));
  const distinct = new Set(nonces);
  if (distinct.size < noncesMin) return unknown(`the client used only ${distinct.size} nonces`);
  const dull = [...distinct].find((nonce) => new Set(nonce.match(/../g)).size < valuesMin);
  if (dull !== undefined) return broken('32 random bytes', `the nonce 0x${dull}`);
  const parts = [0, -sharedDigits].map((from) =>
    [...distinct].map((nonce) => nonce.slice(from).slice(0, sharedDigits)),
  );
  const isAlike = parts.some((each) => new Set(each).size < distinct.size);
  return isAlike
    ? broken('different nonces', 'nonces with the same first or last 8 bytes')
    : holds(`${distinct.size} nonces`);
}

import { chainId } from '@paid-inference/contract/constants';
import { transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { encodePaymentObject } from '@paid-inference/contract/headers';
import { Wallet } from 'ethers';
import { createAuthorizationHasher } from '../../chain/domain.ts';
import { createKeccak } from '../../chain/keccak.ts';
import { loadNativeCurve } from '../../chain/native-curve.ts';
import { decodePayment } from '../../payment/decode.ts';
import { createSignatureRecovery } from '../../payment/recovery.ts';
import { verifyPayment } from '../../payment/signature.ts';
import { randomValues } from '../../testing/chain/random-values.ts';
import type { Address } from '../../types/units.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { BenchOptions, Report, Section } from '../section.ts';

const headerBytesMax = 8_192;
const payments = 64;
const callsPerReading = 64;

export const signatures: Section = { id: 'd', title: 'Signature checks', run };

type Work = { readonly name: string; readonly call: (at: number) => unknown };

async function run({ rounds, seconds, say }: BenchOptions): Promise<Report> {
  const works = await prepare();
  const measured = await interleave(works, rounds, async ({ name, call }, round) => {
    const perSecond = repeat(call, seconds * 500);
    say(`round ${round} ${name}: ${perSecond.toFixed(0)} a second`);
    return perSecond;
  });
  const [native, verified, decoded] = works.map((work) => measured.get(work) ?? []);
  const against = (figures: readonly number[] = []) =>
    spread(figures.map((perSecond, at) => perSecond / (native?.[at] ?? Number.NaN)));
  return {
    id: signatures.id,
    title: signatures.title,
    method: `One thread works on ${payments} signed payments in turn. "native recover" is libsecp256k1 alone, with the digest at hand.`,
    rows: works.map((work) => ({
      name: work.name,
      cells: { 'calls/s': spread(measured.get(work) ?? []) },
    })),
    ratios: [
      {
        name: 'gateway: decode and verify / native recover',
        value: against(decoded),
        goal: { sign: '>=', value: 0.75 },
      },
      { name: 'gateway: verify / native recover', value: against(verified) },
    ],
    chart: { bars: 'calls/s' },
  };
}

/** The three kinds of work on the same payments. Throws where libsecp256k1 is not installed. */
async function prepare(): Promise<readonly Work[]> {
  const curve = await loadNativeCurve();
  if (curve === null) throw new Error('libsecp256k1 is not installed. Run npm ci with its prebuilt binary.');
  const keccak = await createKeccak();
  const recovery = await createSignatureRecovery(keccak);
  const authorizationFields = transferWithAuthorizationTypes.TransferWithAuthorization;
  const hasher = createAuthorizationHasher({ keccak, authorizationFields });
  const random = randomValues(1);
  const domain = { name: 'T', version: '1', chainId, verifyingContract: random.address() };
  const separator = hasher.domainSeparator(domain);
  const digestOf = (authorization: Parameters<typeof hasher.authorizationDigest>[1]) =>
    hasher.authorizationDigest(separator, authorization);
  const sent = await Promise.all(
    Array.from({ length: payments }, async () => {
      const wallet = new Wallet(random.bytes32());
      const from = wallet.address.toLowerCase() as Address;
      const terms = { ...random.authorization(), from, validAfter: 0, validBefore: 1_900_000_000 };
      const authorization = { ...terms, value: terms.value.toString() };
      const signature = await wallet.signTypedData(
        domain,
        { ...transferWithAuthorizationTypes },
        authorization,
      );
      return encodePaymentObject({ payload: { signature, authorization } });
    }),
  );
  const decode = (at: number) => {
    const decoded = decodePayment({ payment: sent[at], paymentSignature: undefined }, headerBytesMax);
    if (!decoded.ok) throw new Error(decoded.fault.message);
    return decoded.value;
  };
  const verify = (payment: ReturnType<typeof decode>) => {
    const verified = verifyPayment(payment, digestOf, recovery);
    if (!verified.ok) throw new Error(verified.fault.message);
  };
  const decoded = sent.map((_header, at) => decode(at));
  const raw = decoded.map(({ authorization, signature }) => {
    const bytes = Buffer.from(signature.slice(2), 'hex');
    return {
      digest: Buffer.from(digestOf(authorization)),
      rs: bytes.subarray(0, 64),
      parity: (bytes[64] ?? 27) - 27,
    };
  });
  return [
    {
      name: 'native recover',
      call(at) {
        const { rs, parity, digest } = raw[at] as (typeof raw)[number];
        return curve.ecdsaRecover(rs, parity, digest, false);
      },
    },
    { name: 'gateway: verify', call: (at) => verify(decoded[at] as (typeof decoded)[number]) },
    { name: 'gateway: decode and verify', call: (at) => verify(decode(at)) },
  ];
}

/** Calls for this time, and returns the calls per second. */
function repeat(call: (at: number) => unknown, milliseconds: number): number {
  const startedAt = performance.now();
  let calls = 0;
  do {
    for (let each = 0; each < callsPerReading; each++) call(each % payments);
    calls += callsPerReading;
  } while (performance.now() - startedAt < milliseconds);
  return (calls / (performance.now() - startedAt)) * 1_000;
}

import type { RequirementId } from '@paid-inference/contract/requirements';
import type { SettlementType } from '@paid-inference/contract/types';
import { hexlify, randomBytes, Wallet } from 'ethers';
import type { Edge } from '../edge.ts';
import { receipting, replying, serving } from '../edits.ts';
import { later } from '../later.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  type Endpoint,
  encoded,
  findEndpoint,
  headerNamed,
  isObject,
  isPaid,
  type Json,
  objectIn,
  parsed,
  readPayment,
  withHeader,
  withJson,
  withMember,
} from '../wire-edits.ts';
import { taking } from './signature.ts';

const receiptName = 'X-PAYMENT-RESPONSE';
const proofName = 'X-INFERENCE-PROOF';
const madeUp = () => hexlify(randomBytes(32));
const refusal = {
  error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' },
};
const typeName = 'x-settlement-type';
/** The symbol of the token on the chain of the reference gateway. */
const symbol = 'TPT';

/** Members of the signed statement in a proof (D-68). */
const statement = [
  ...['proofId', 'inputHash', 'outputHash', 'modelHash'].map((name) => [name, 'bytes32'] as const),
  ['timestamp', 'uint64'],
  ['settlementType', 'string'],
] as const;

/** Mutants that only a node of the test network or of the ledger network reveals (contract 1, 2.11, 4.3). */
export const nodesMutants: readonly Mutant[] = [
  reads(
    'token-symbol-taken',
    'accepts a signature for the symbol of its token as domain name',
    ['signature.domain.name'],
    taking({ domain: (domain) => ({ ...domain, name: symbol }) }, 'chat'),
  ),
  responds(
    'receipt-of-no-transaction',
    'invents the transaction hashes of its receipts',
    ['chain.transaction'],
    replying((reply) => {
      const receipt = objectIn(headerNamed(reply.headers, receiptName));
      return receipt ? withHeader(reply, receiptName, encoded({ ...receipt, txHash: madeUp() })) : reply;
    }),
  ),
  responds(
    'receipt-of-another-payment',
    'names the transaction of another payment of the same value in a receipt',
    ['chain.authorization-used'],
    namingAnother((body) => body),
  ),
  responds(
    'receipt-of-a-dearer-payment',
    'names the transaction of a payment of another value in a receipt',
    ['chain.authorization-used', 'chain.transfer'],
    namingAnother((body) => ({ ...body, max_tokens: 2_048 })),
  ),
  later(
    'later-receipts-of-no-transaction',
    'invents the transaction hashes of its receipts after the first chat',
    ['served.settled'],
    ['chat', 200],
    (of) => receipting((receipt) => ({ ...receipt, txHash: madeUp() }), of),
  ),
  later(
    'later-text-receipts-of-no-transaction',
    'invents the transaction hashes of its receipts after the first text completion',
    ['served.settled'],
    ['completions', 200],
    (of) => receipting((receipt) => ({ ...receipt, txHash: madeUp() }), of),
  ),
  namingTheFirst('later-receipts-of-the-first', 'chat'),
  namingTheFirst('later-text-receipts-of-the-first', 'completions'),
  chargedThenRefused('charged-then-400', 'settles the payment for an invalid body, then returns 400', false),
  chargedThenRefused(
    'charged-then-400-then-409',
    'settles the payment for an invalid body, then returns 400, and 409 when the payment is sent again',
    true,
  ),
  typed('individual-recorded-in-batches', 'individual', 'batch', 'ledger.individual.recorded'),
  typed('batch-recorded-by-itself', 'batch', 'individual', 'ledger.batch.recorded'),
  typed('default-recorded-by-itself', undefined, 'individual', 'ledger.default.batch'),
  typed('private-recorded', 'private', 'individual', 'ledger.private.unrecorded'),
  responds(
    'response-changed-after-its-proof',
    'returns another completion than its proof covers',
    ['ledger.proof.hashes'],
    serving((body) => ({ ...body, id: 'another' }), {
      endpoint: 'chat',
      when: ({ headers }) => headers[typeName] === undefined,
    }),
  ),
  responds(
    'proof-with-another-signature',
    'sends its proofs with an invalid signature',
    ['ledger.proof.signature'],
    replying((reply, asked) => {
      const proof = objectIn(headerNamed(reply.headers, proofName));
      return proof && isPaid(asked) ? withHeader(reply, proofName, encoded(tampered(proof))) : reply;
    }),
  ),
  responds(
    'proof-by-a-key-of-its-own',
    'signs a proof with a key that is missing from the proof ledger',
    // The ledger entry also contains the signer.
    ['ledger.proof.key', 'ledger.default.batch'],
    signingAnew(),
  ),
].map((mutant) => ({ ...mutant, seenWith: 'nodes' as const }));

/** Serves and settles a valid body that the edge puts in the place of an invalid one, and returns 400. */
function chargedThenRefused(id: string, does: string, remembers: boolean): Mutant {
  return {
    id,
    does,
    kills: ['refused.unsettled'],
    place: 'respond',
    edge: () => {
      const charged = new Set<unknown>();
      return {
        read: (asked, forge) => (isPaidInVain(asked, forge) ? withBody(asked, { temperature: 1 }) : asked),
        respond: (reply, asked, forge) => {
          const nonce = readPayment(asked)?.authorization['nonce'];
          if (remembers && charged.has(nonce)) return { ...reply, status: 409 };
          if (reply.status !== 200 || !isPaidInVain(asked, forge)) return reply;
          charged.add(nonce);
          return withJson(
            { status: 400, headers: { 'Content-Type': 'application/json' }, text: '' },
            refusal,
          );
        },
      };
    },
  };
}

/** Whether a request is a paid chat with an invalid body: its `temperature` is above 2. */
function isPaidInVain(asked: Asked, { payer }: PaymentForge): boolean {
  const body = parsed(asked.text);
  const from = String(readPayment(asked)?.authorization['from']).toLowerCase();
  return (
    findEndpoint(asked) === 'chat' && from === payer && isObject(body) && Number(body['temperature'] ?? 1) > 2
  );
}

function withBody(asked: Asked, change: Json): Asked {
  const body = parsed(asked.text);
  return isObject(body) ? { ...asked, text: JSON.stringify({ ...body, ...change }) } : asked;
}

/** Records a request with another settlement type than it has. */
function typed(
  id: string,
  asked: SettlementType | undefined,
  instead: SettlementType,
  kills: RequirementId,
): Mutant {
  const words = asked === undefined ? 'without a settlement type' : `with settlement type \`${asked}\``;
  return reads(id, `records a request ${words} as \`${instead}\``, [kills], (request) =>
    findEndpoint(request) && request.headers[typeName] === asked
      ? { ...request, headers: { ...request.headers, [typeName]: instead } }
      : request,
  );
}

/** Each receipt names the transaction of the first payment of its endpoint. */
function namingTheFirst(id: string, endpoint: Endpoint): Mutant {
  return {
    id,
    does: `names the transaction of the first payment in every receipt (${endpoint})`,
    kills: ['served.receipt', 'served.settled'],
    place: 'respond',
    edge: () => {
      let first: unknown;
      return {
        respond: receipting(
          (receipt) => {
            first ??= receipt['txHash'];
            return { ...receipt, txHash: first };
          },
          { endpoint },
        ),
      };
    },
  };
}

/** Receipts without a settlement type name the transaction of another purchase, which the edge makes. */
function namingAnother(change: (body: Json) => Json): NonNullable<Edge['respond']> {
  return async (reply, asked, forge) => {
    const receipt = objectIn(headerNamed(reply.headers, receiptName));
    const body = parsed(asked.text);
    if (!receipt || !isObject(body) || asked.headers[typeName] !== undefined) return reply;
    const bought = await forge.buy({ ...asked, text: JSON.stringify(change(body)) });
    const { txHash } = objectIn(headerNamed(bought.headers, receiptName)) ?? {};
    return withHeader(reply, receiptName, encoded({ ...receipt, txHash }));
  };
}

/** Signs the proof of a chat without a settlement type with another key, as D-68 defines. */
function signingAnew(): NonNullable<Edge['respond']> {
  const wallet = Wallet.createRandom();
  return async (reply, asked) => {
    const proof = objectIn(headerNamed(reply.headers, proofName));
    const isPlain = findEndpoint(asked) === 'chat' && asked.headers[typeName] === undefined;
    if (!proof || !isObject(proof['ledger']) || !isPlain) return reply;
    const { name, version, chainId, verifyingContract } = proof['ledger'];
    const domain = {
      name: String(name),
      version: String(version),
      chainId: Number(chainId),
      verifyingContract: String(verifyingContract).toLowerCase(),
    };
    const types = { InferenceProof: statement.map(([field, type]) => ({ name: field, type })) };
    const signed = Object.fromEntries(statement.map(([field]) => [field, proof[field]]));
    const signature = await wallet.signTypedData(domain, types, signed);
    return withHeader(
      reply,
      proofName,
      encoded({ ...proof, signature, signer: wallet.address.toLowerCase() }),
    );
  };
}

/** The proof with one byte of `r` changed. */
function tampered(proof: Json): Json {
  const signature = String(proof['signature']);
  const byte = signature.slice(20, 22) === '5a' ? 'a5' : '5a';
  return withMember(proof, 'signature', signature.slice(0, 20) + byte + signature.slice(22));
}

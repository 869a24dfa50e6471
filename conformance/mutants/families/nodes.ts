import type { RequirementId } from '@paid-inference/contract/requirements';
import type { SettlementType } from '@paid-inference/contract/types';
import { hexlify, randomBytes, Wallet } from 'ethers';
import type { Edge } from '../edge.ts';
import { receipting, replying, serving } from '../edits.ts';
import { later } from '../later.ts';
import type { Asked } from '../message.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  type Endpoint,
  encoded,
  endpointOf,
  headerNamed,
  isObject,
  isPaid,
  type Json,
  objectIn,
  parsed,
  paymentOf,
  withHeader,
  withJson,
  withMember,
} from '../wire-edits.ts';

const receiptName = 'X-PAYMENT-RESPONSE';
const proofName = 'X-INFERENCE-PROOF';
const madeUp = () => hexlify(randomBytes(32));
const refusal = {
  error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' },
};
const typeName = 'x-settlement-type';

/** Members of the statement that is signed (D-68). */
const statement = [
  ...['proofId', 'inputHash', 'outputHash', 'modelHash'].map((name) => [name, 'bytes32'] as const),
  ['timestamp', 'uint64'],
  ['settlementType', 'string'],
] as const;

/** What only a node of the test network or of the ledger network shows (contract 1, 2.11, 4.3). */
export const nodesMutants: readonly Mutant[] = [
  answers(
    'receipt-of-no-transaction',
    'makes up the transactions of its receipts',
    ['chain.transaction'],
    replying((reply) => {
      const receipt = objectIn(headerNamed(reply.headers, receiptName));
      return receipt ? withHeader(reply, receiptName, encoded({ ...receipt, txHash: madeUp() })) : reply;
    }),
  ),
  answers(
    'receipt-of-another-payment',
    'names the transaction of another payment of the same value',
    ['chain.authorization-used'],
    namingAnother((body) => body),
  ),
  answers(
    'receipt-of-a-dearer-payment',
    'names the transaction of a payment of another value',
    ['chain.authorization-used', 'chain.transfer'],
    namingAnother((body) => ({ ...body, max_tokens: 2_048 })),
  ),
  later(
    'later-receipts-of-no-transaction',
    'makes up the transactions of its receipts once one chat is served',
    ['served.settled'],
    ['chat', 200],
    (of) => receipting((receipt) => ({ ...receipt, txHash: madeUp() }), of),
  ),
  later(
    'later-text-receipts-of-no-transaction',
    'makes up the transactions of its receipts once one text is served',
    ['served.settled'],
    ['completions', 200],
    (of) => receipting((receipt) => ({ ...receipt, txHash: madeUp() }), of),
  ),
  namingTheFirst('later-receipts-of-the-first', 'chat'),
  namingTheFirst('later-text-receipts-of-the-first', 'completions'),
  chargedThenRefused('charged-then-400', 'takes a payment for a body that it then refuses', false),
  chargedThenRefused(
    'charged-then-400-then-409',
    'takes a payment for a body that it then refuses, and answers 409 whenever it comes again',
    true,
  ),
  typed('individual-recorded-in-batches', 'individual', 'batch', 'ledger.individual.recorded'),
  typed('batch-recorded-by-itself', 'batch', 'individual', 'ledger.batch.recorded'),
  typed('default-recorded-by-itself', undefined, 'individual', 'ledger.default.batch'),
  typed('private-recorded', 'private', 'individual', 'ledger.private.unrecorded'),
  answers(
    'answer-changed-after-its-proof',
    'proves another answer than it gives',
    ['ledger.proof.hashes'],
    serving((body) => ({ ...body, id: 'another' }), {
      endpoint: 'chat',
      when: ({ headers }) => headers[typeName] === undefined,
    }),
  ),
  answers(
    'proof-with-another-signature',
    'signs its proofs with nobody’s key',
    ['ledger.proof.signature'],
    replying((reply, asked) => {
      const proof = objectIn(headerNamed(reply.headers, proofName));
      return proof && isPaid(asked) ? withHeader(reply, proofName, encoded(tampered(proof))) : reply;
    }),
  ),
  answers(
    'proof-by-a-key-of-its-own',
    'signs a proof with a key that no ledger knows',
    // The signer is part of what was recorded, too.
    ['ledger.proof.key', 'ledger.default.batch'],
    signingAnew(),
  ),
].map((mutant) => ({ ...mutant, seenWith: 'nodes' as const }));

/** Gets to read a body that is valid, so that it serves and settles, and says that it was not. */
function chargedThenRefused(id: string, does: string, remembers: boolean): Mutant {
  return {
    id,
    does,
    kills: ['refused.unsettled'],
    place: 'answer',
    edge: () => {
      const charged = new Set<unknown>();
      return {
        read: (asked, forge) => (isPaidInVain(asked, forge) ? withBody(asked, { temperature: 1 }) : asked),
        answer: (reply, asked, forge) => {
          const nonce = paymentOf(asked)?.authorization['nonce'];
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

/** The body of a paid chat is invalid: it is hotter than anything may be. */
function isPaidInVain(asked: Asked, { payer }: PaymentForge): boolean {
  const body = parsed(asked.text);
  const from = String(paymentOf(asked)?.authorization['from']).toLowerCase();
  return (
    endpointOf(asked) === 'chat' && from === payer && isObject(body) && Number(body['temperature'] ?? 1) > 2
  );
}

function withBody(asked: Asked, change: Json): Asked {
  const body = parsed(asked.text);
  return isObject(body) ? { ...asked, text: JSON.stringify({ ...body, ...change }) } : asked;
}

/** What is asked to be recorded in one way is recorded in another. */
function typed(
  id: string,
  asked: SettlementType | undefined,
  instead: SettlementType,
  kills: RequirementId,
): Mutant {
  const words = asked === undefined ? 'without a settlement type' : `of settlement type \`${asked}\``;
  return reads(id, `records what is ${words} as \`${instead}\``, [kills], (request) =>
    endpointOf(request) && request.headers[typeName] === asked
      ? { ...request, headers: { ...request.headers, [typeName]: instead } }
      : request,
  );
}

/** Each receipt names the transaction of the first payment of its endpoint. */
function namingTheFirst(id: string, endpoint: Endpoint): Mutant {
  return {
    id,
    does: `names the transaction of the first payment in all receipts (${endpoint})`,
    kills: ['served.receipt', 'served.settled'],
    place: 'answer',
    edge: () => {
      let first: unknown;
      return {
        answer: receipting(
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

/** Receipts of plain answers name the transaction of a purchase that the edge makes for it. */
function namingAnother(change: (body: Json) => Json): NonNullable<Edge['answer']> {
  return async (reply, asked, forge) => {
    const receipt = objectIn(headerNamed(reply.headers, receiptName));
    const body = parsed(asked.text);
    if (!receipt || !isObject(body) || asked.headers[typeName] !== undefined) return reply;
    const bought = await forge.buy({ ...asked, text: JSON.stringify(change(body)) });
    const { txHash } = objectIn(headerNamed(bought.headers, receiptName)) ?? {};
    return withHeader(reply, receiptName, encoded({ ...receipt, txHash }));
  };
}

/** The proof of a plain chat by another key, signed as D-68 has it. */
function signingAnew(): NonNullable<Edge['answer']> {
  const wallet = Wallet.createRandom();
  return async (reply, asked) => {
    const proof = objectIn(headerNamed(reply.headers, proofName));
    const isPlain = endpointOf(asked) === 'chat' && asked.headers[typeName] === undefined;
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

/** With a byte of `r` changed. */
function tampered(proof: Json): Json {
  const signature = String(proof['signature']);
  const byte = signature.slice(20, 22) === '5a' ? 'a5' : '5a';
  return withMember(proof, 'signature', signature.slice(0, 20) + byte + signature.slice(22));
}

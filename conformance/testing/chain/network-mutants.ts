import type { RequirementId } from '@paid-inference/contract/requirements';
import { id } from 'ethers';
import { json, type ProxyResponse } from '../proxy.ts';
import type { ChainEdits, FakeLog } from './fake-chain.ts';
import type { LedgerEdits } from './fake-ledger.ts';

/** A deviation on a network or at a limit that must fail exactly these requirements. */
type Broken = { readonly id: string; readonly kills: readonly RequirementId[] };

/** Receipts that name wrong transactions. */
export const chainMutants: readonly (Broken & { readonly edits: ChainEdits })[] = [
  { id: 'transaction-made-up', edits: { transaction: () => null }, kills: ['chain.transaction'] },
  {
    id: 'transaction-failed',
    edits: { transaction: (mined) => ({ ...mined, status: '0x0' }) },
    kills: ['chain.transaction'],
  },
  {
    id: 'transaction-of-another-nonce',
    edits: onLog(0, (used) => ({ ...used, topics: [...used.topics.slice(0, 2), `0x${'00'.repeat(32)}`] })),
    kills: ['chain.authorization-used'],
  },
  {
    id: 'transaction-of-a-unit-less',
    edits: onLog(1, (moved) => ({ ...moved, data: `0x${(999).toString(16).padStart(64, '0')}` })),
    kills: ['chain.transfer'],
  },
  {
    id: 'transaction-to-another',
    edits: onLog(1, (moved) => ({ ...moved, topics: [...moved.topics.slice(0, 2), `0x${'11'.repeat(32)}`] })),
    kills: ['chain.transfer'],
  },
  {
    id: 'transaction-of-another-token',
    edits: {
      transaction: ({ status, logs }) => ({
        status,
        logs: logs.map((log) => ({ ...log, address: `0x${'99'.repeat(20)}` })),
      }),
    },
    kills: ['chain.authorization-used', 'chain.transfer'],
  },
  {
    id: 'transactions-made-up-later',
    edits: { transaction: (mined, place) => (place < 3 ? mined : null) },
    kills: ['served.settled'],
  },
  {
    id: 'transactions-of-another-nonce-later',
    edits: onLog(0, (used) => ({ ...used, topics: [...used.topics.slice(0, 2), `0x${'00'.repeat(32)}`] }), 3),
    kills: ['served.settled'],
  },
  {
    id: 'transactions-of-a-unit-less-later',
    edits: onLog(1, (moved) => ({ ...moved, data: `0x${(999).toString(16).padStart(64, '0')}` }), 3),
    kills: ['served.settled'],
  },
];

/** Wrong proofs and records. */
export const ledgerMutants: readonly (Broken & { readonly edits: LedgerEdits })[] = [
  {
    id: 'proof-of-another-request',
    edits: { statement: (proof) => ({ ...proof, inputHash: id('other') }) },
    kills: ['ledger.individual.recorded', 'ledger.proof.hashes'],
  },
  {
    // The shown proof matches neither the signature nor the batch.
    id: 'proof-changed-after-signing',
    edits: { shown: (proof) => ({ ...proof, modelHash: id('other') }) },
    kills: [
      'ledger.batch.recorded',
      'ledger.default.batch',
      'ledger.individual.recorded',
      'ledger.proof.hashes',
      'ledger.proof.signature',
    ],
  },
  { id: 'key-not-registered', edits: { isKeyUnknown: true }, kills: ['ledger.proof.key'] },
  { id: 'key-revoked-before', edits: { keyRevokedAt: 1_600_000_000 }, kills: ['ledger.proof.key'] },
  {
    id: 'record-of-another-response',
    edits: { event: (proof) => ({ ...proof, outputHash: id('other') }) },
    kills: ['ledger.individual.recorded'],
  },
  {
    id: 'private-recorded',
    edits: { recordsAs: (type) => (type === 'private' ? 'individual' : type) },
    kills: ['ledger.private.unrecorded'],
  },
  {
    id: 'batch-recorded-one-by-one',
    edits: { recordsAs: (type) => (type === 'batch' ? 'individual' : type) },
    kills: ['ledger.batch.recorded', 'ledger.default.batch'],
  },
  {
    id: 'batch-recorded-one-by-one-where-asked-for',
    edits: { recordsAs: (type, isAskedFor) => (type === 'batch' && isAskedFor ? 'individual' : type) },
    kills: ['ledger.batch.recorded'],
  },
  {
    id: 'default-individual',
    edits: { typeOfDefault: 'individual' },
    kills: ['ledger.default.batch'],
  },
  {
    id: 'batch-signed-as-private',
    edits: {
      statement: (proof) =>
        proof.settlementType === 'batch' ? { ...proof, settlementType: 'private' } : proof,
    },
    kills: ['ledger.batch.recorded', 'ledger.default.batch'],
  },
];

/** Wrong 429 responses. */
export const limitsMutants: readonly (Broken & { readonly refusal: ProxyResponse })[] = [
  {
    id: 'rate-limit-without-envelope',
    refusal: json(429, { message: 'No.' }),
    kills: ['error.429.code', 'error.429.envelope', 'error.429.type'],
  },
  {
    id: 'rate-limit-of-another-type',
    refusal: json(429, { error: { message: 'No.', type: 'too_fast', code: 'rate_limited' } }),
    kills: ['error.429.type'],
  },
  {
    id: 'rate-limit-of-another-code',
    refusal: json(429, { error: { message: 'No.', type: 'rate_limit_error', code: 'slow' } }),
    kills: ['error.429.code'],
  },
  {
    id: 'rate-limit-without-message',
    refusal: json(429, { error: { type: 'rate_limit_error', code: 'rate_limited' } }),
    kills: ['error.429.envelope'],
  },
];

/** All mutants of networks and limits. */
export const networkMutants: readonly Broken[] = [...chainMutants, ...ledgerMutants, ...limitsMutants];

/**
 * Changes one log of every transaction from an index on. Log 0 uses the authorization, log 1 moves the value.
 */
function onLog(index: number, change: (log: FakeLog) => FakeLog, from = 0): ChainEdits {
  return {
    transaction: ({ status, logs }, place) => ({
      status,
      logs: logs.map((log, at) => (at === index && place >= from ? change(log) : log)),
    }),
  };
}

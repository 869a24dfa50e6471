import type { Rpc } from '../../chain/rpc.ts';
import type { Log } from '../../observe/log.ts';
import type { FeeLimits } from '../../relayer/fees.ts';
import { createLeaseHolder, type LeaseHolder } from '../../relayer/lease-holder.ts';
import type { Relayer } from '../../relayer/nonce.ts';
import type { ProofStore } from '../../store/proof-store.ts';
import { type RelayerLease, StaleFence } from '../../store/relayer-lease.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';
import { type LedgerName, nameLedger } from '../../types/ledger-name.ts';
import { pause } from '../../types/signal.ts';
import type { Address, Bytes32 } from '../../types/units.ts';
import { checkLedger } from './check-ledger.ts';
import { createLedgerEvents } from './ledger-events.ts';
import { createLedgerView } from './ledger-view.ts';
import { type BatchLimits, createBatchRecorder } from './record-batches.ts';
import { createIndividualRecorder, type RecorderLimits } from './record-individual.ts';
import { createRegistrar } from './register-signers.ts';
import { createSender, type SenderLimits } from './sender.ts';
import { createFinalityWatch, type FinalityLimits } from './watch-finality.ts';
import { createKeyWatch } from './watch-key.ts';
import { createOtherLedgersWatch } from './watch-other-ledgers.ts';
import { silent, WriterIssues } from './writer-issues.ts';

export type LedgerWriterOptions = {
  readonly rpc: Rpc;
  readonly store: ProofStore & Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly contract: Address;
  /** The account that pays for gas, on the chain of the proof ledger. */
  readonly relayer: Relayer;
  /** The name of this process as an owner of leases. */
  readonly owner: string;
  /** The address of the enclave key of this process. */
  readonly signer: Address;
  /** The hash of the evidence of that key from the start. */
  readonly evidenceHash: Bytes32;
  readonly fees: FeeLimits;
  /** The number of blocks that are searched for the transaction of an existing record. */
  readonly logBlocksMax: number;
  readonly limits: WriterLimits;
};

export type WriterLimits = BatchLimits &
  RecorderLimits &
  FinalityLimits &
  SenderLimits & {
    /** The pause between two rounds, each of which asks the store for due proofs. */
    readonly storePollMs: number;
    /** The first pause after a failed round; each later pause doubles, up to `retryMsMax`. */
    readonly retryMs: number;
    /** How often the writer checks finality and reorganisations of the proof ledger's chain. */
    readonly maintenanceMs: number;
    readonly leaseSeconds: number;
  };

/** Records proofs from the store on the proof ledger, without delaying any sale. */
export interface LedgerWriter {
  /** Why proofs are not recorded now, as a sentence for the operator; null when all is well. */
  healthIssue(): string | null;
  /**
   * Why the gateway must not sell with the enclave key of this process, as a sentence; null while it may
   * (D-90).
   */
  keyIssue(): string | null;
  /** Records due proofs of any age until the timeout, then ends. May be called again. */
  close(timeoutMs: number): Promise<void>;
}

/** The state between two rounds. */
type State = {
  waitReason: string | null;
  isChecked: boolean;
  keptAtMs: number;
  keyCheckedAtMs: number;
};

/** The ports of a round. */
type Round = LedgerWriterOptions & {
  readonly ledger: LedgerName;
  readonly holder: LeaseHolder;
  readonly registrar: ReturnType<typeof createRegistrar>;
  readonly individual: ReturnType<typeof createIndividualRecorder>;
  readonly batches: ReturnType<typeof createBatchRecorder>;
  readonly finality: ReturnType<typeof createFinalityWatch>;
  readonly key: ReturnType<typeof createKeyWatch>;
  readonly otherLedgers: ReturnType<typeof createOtherLedgersWatch>;
  readonly state: State;
};

/**
 * Starts the writer. One process at a time writes for a contract, under a lease that is named after the
 * contract. The lease is therefore never that of a payment relayer, even with the same key. Every round, also
 * the first after a crash, starts from the state of the store and the contract.
 */
export function startLedgerWriter(options: LedgerWriterOptions): LedgerWriter {
  const closing = new AbortController();
  const draining = new AbortController();
  const ended = AbortSignal.any([closing.signal, draining.signal]);
  const round = openRound(options, closing.signal);
  const { holder, individual, otherLedgers, key, state, limits } = round;
  const done = run();
  return {
    healthIssue: () => {
      const sentences = [state.waitReason, key.warning()].filter((sentence) => sentence !== null);
      return sentences.length === 0 ? null : sentences.join('; ');
    },
    keyIssue: () => key.healthIssue(),
    async close(timeoutMs) {
      draining.abort();
      const late = setTimeout(() => closing.abort(), timeoutMs);
      await done;
      clearTimeout(late);
    },
  };

  async function run(): Promise<void> {
    let retryMs = limits.retryMs;
    while (!ended.aborted) {
      const healthIssue = await tryRound(round, false);
      logIssue(round, healthIssue ?? individual.healthIssue() ?? otherLedgers.healthIssue());
      await pause(healthIssue === null ? limits.storePollMs : retryMs, ended);
      retryMs = healthIssue === null ? limits.retryMs : Math.min(retryMs * 2, limits.retryMsMax);
    }
    if (!closing.signal.aborted) await tryRound(round, true);
    await holder.release();
  }
}

function openRound(options: LedgerWriterOptions, closing: AbortSignal): Round {
  const { store, clock, contract, relayer, limits, owner } = options;
  const rpc: Rpc = {
    call: (method, params, call) => options.rpc.call(method, params, { ...call, signal: closing }),
  };
  const ledger = nameLedger(relayer.chainId, contract);
  const { leaseSeconds } = limits;
  const holder = createLeaseHolder({
    store,
    clock,
    relayer: ledger as string as Address,
    owner,
    leaseSeconds,
  });
  const lease = async (): Promise<RelayerLease> => {
    const held = await holder.hold();
    if (held === null) throw new StaleFence('the lease of the proof ledger ran out');
    return held;
  };
  const view = createLedgerView(rpc, contract, relayer.address);
  const events = createLedgerEvents(rpc, contract, options.logBlocksMax);
  const sender = createSender({ ...options, rpc, stillHolds: lease, closing });
  const ports = { ...options, rpc, ledger, view, events, sender, lease, closing };
  const registrar = createRegistrar(ports);
  return {
    ...options,
    rpc,
    ledger,
    holder,
    registrar,
    individual: createIndividualRecorder(ports),
    batches: createBatchRecorder(ports),
    finality: createFinalityWatch({ ...ports, registrar }),
    key: createKeyWatch(view, options),
    otherLedgers: createOtherLedgersWatch(ports),
    state: {
      waitReason: null,
      isChecked: false,
      keptAtMs: Number.NEGATIVE_INFINITY,
      keyCheckedAtMs: Number.NEGATIVE_INFINITY,
    },
  };
}

/**
 * Records the due proofs, as far as possible. Returns why some were not recorded, as a sentence; null when all
 * were.
 */
async function tryRound(round: Round, everything: boolean): Promise<string | null> {
  const { holder, state, log, ledger } = round;
  try {
    const held = await holder.hold();
    if (!state.isChecked) await check(round);
    await checkKey(round);
    // Null while another process writes: then this process has nothing to record.
    return held === null ? null : await recordDue(round, everything);
  } catch (cause) {
    state.isChecked = false;
    if (cause instanceof WriterIssues) return cause.message;
    holder.startOver();
    if (cause instanceof StaleFence) {
      log.info({ lease: ledger }, 'another process took over writing to the proof ledger');
      return null;
    }
    return `the store does not respond: ${cause instanceof Error ? cause.message : 'unknown'}`;
  }
}

async function recordDue(round: Round, everything: boolean): Promise<string | null> {
  const steps = [
    () => round.registrar.register(),
    () => round.individual.record(),
    () => round.batches.record(everything),
    () => keep(round),
  ];
  let first: string | null = null;
  for (const step of steps) {
    try {
      await step();
    } catch (cause) {
      // A rejection by the contract concerns only this step; a silent node concerns all steps.
      if (!(cause instanceof WriterIssues) || cause.reach === 'node') throw cause;
      first ??= cause.message;
    }
  }
  return first;
}

/** Checks the identity of the proof ledger, which may have been unreachable when the gateway started. */
async function check({ rpc, relayer, contract, state }: Round): Promise<void> {
  const found = await checkLedger(rpc, { chainId: relayer.chainId, contract }, relayer.address);
  if (found.kind === 'silent') throw silent(found.fault);
  if (found.kind === 'wrong') throw new WriterIssues(found.faults.join(' '));
  state.isChecked = true;
}

async function keep({ clock, limits, finality, otherLedgers, state }: Round): Promise<void> {
  if (clock.monotonicMs() - state.keptAtMs < limits.maintenanceMs) return;
  state.keptAtMs = clock.monotonicMs();
  await otherLedgers.look();
  await finality.look();
}

/** Checks the key of this process, also while another process writes to the ledger. */
async function checkKey({ clock, limits, key, log, signer, state }: Round): Promise<void> {
  if (clock.monotonicMs() - state.keyCheckedAtMs < limits.maintenanceMs) return;
  const before = { healthIssue: key.healthIssue(), warning: key.warning() };
  await key.look();
  state.keyCheckedAtMs = clock.monotonicMs();
  const now = { healthIssue: key.healthIssue(), warning: key.warning() };
  if (now.healthIssue !== null && before.healthIssue === null) log.error({ signer }, now.healthIssue);
  if (now.warning !== null && before.warning === null) log.warn({ signer }, now.warning);
}

/** Logs the begin and the end of a fault, not each attempt. */
function logIssue({ state, log, contract }: Round, sentence: string | null): void {
  if (state.waitReason === null && sentence !== null)
    log.warn({ contract }, `proofs are not recorded now: ${sentence}`);
  if (state.waitReason !== null && sentence === null) log.info({ contract }, 'proofs are recorded again');
  state.waitReason = sentence;
}

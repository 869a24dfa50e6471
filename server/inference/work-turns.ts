import { createFairQueue, type FairQueue } from '../types/fair-queue.ts';
import type { InferenceLimits } from './engine.ts';

/**
 * Runs a piece of the work of an inference in a later turn of the event loop, and returns its result. `signal` is that of
 * the inference. Throws the signal's reason if it is aborted before.
 */
export type WorkTurns = <Result>(signal: AbortSignal, work: () => Result) => Promise<Result>;

/** The client of an inference. */
type Client = Pick<InferenceLimits, 'site' | 'client'>;

/** The signal of an inference reaches all its work, so it stands for the client. */
const clients = new WeakMap<AbortSignal, Client>();

/** Names the client whose inference has the signal. The work of all inferences without one counts as that of one client. */
export function assignClient(signal: AbortSignal, client: Client): void {
  clients.set(signal, client);
}

/** A piece of the work of an inference. */
type Piece = { readonly signal: AbortSignal; readonly call: () => void };

/**
 * Runs the work of all inferences until the time of a turn is used up (D-200). If each inference gave way by itself, 250 of
 * them would all continue in the same turn and delay all other work. An inference has one piece in a turn, or several short
 * ones, so that a turn of few inferences is short. The site with the least time so far comes first, and within a site the
 * payer with the least. A piece that takes longer than a turn is followed by as much free time.
 */
export function createWorkTurns(budgetMs: number, now: () => number = () => performance.now()): WorkTurns {
  const sites = createFairQueue<FairQueue<Piece>>();
  /** The payers of each site with work. */
  const payersOf = new Map<string, FairQueue<Piece>>();
  let isDue = false;
  return (signal, work) =>
    new Promise((resolve, reject) => {
      const call = () => {
        try {
          signal.throwIfAborted();
          resolve(work());
        } catch (cause) {
          reject(cause);
        }
      };
      add({ signal, call });
      if (!isDue) setImmediate(startTurn);
      isDue = true;
    });

  function add(piece: Piece): void {
    const { site = '', client: payer = '' } = clients.get(piece.signal) ?? {};
    const payers = payersOf.get(site) ?? createFairQueue();
    payersOf.set(site, payers);
    payers.add(payer, piece);
    sites.add(site, payers);
  }

  function startTurn(): void {
    doNext(now(), new Set());
  }

  /** Does the first piece, and then the next ones of this turn. `served` has the inferences with a piece in this turn. */
  function doNext(turnAt: number, served: Set<AbortSignal>): void {
    const payers = sites.first();
    const next = payers?.item.first();
    if (!payers || !next) isDue = false;
    else if (served.has(next.item.signal) && now() - turnAt >= shortMs) setImmediate(startTurn);
    else {
      const startedAt = now();
      next.item.call();
      const tookMs = now() - startedAt;
      next.take(tookMs);
      payers.take(tookMs);
      if (payers.item.isEmpty()) payersOf.delete(payers.owner);
      served.add(next.item.signal);
      if (tookMs > budgetMs) setTimeout(startTurn, tookMs);
      else if (now() - turnAt >= budgetMs) setImmediate(startTurn);
      // Once all promises have resolved, so that the next piece of the same inference takes part in the order.
      else queueMicrotask(() => process.nextTick(doNext, turnAt, served));
    }
  }
}

/**
 * In the first part of a turn, in milliseconds, an inference may have several pieces. If it had one, a client whose pieces take
 * a microsecond would end thousands of turns, and the others would wait until it has had as much time as they.
 */
const shortMs = 0.2;

/** The time of a turn for inferences, in milliseconds. The last piece of work may exceed it. */
const budgetMs = 5;

/** Runs work in the turns of this process. */
export const takeTurn = createWorkTurns(budgetMs);

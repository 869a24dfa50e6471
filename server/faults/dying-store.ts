import type { OpenStore, Store } from '../store/store.ts';

/** A step of the store at which the process ends: the n-th call that changes the store. */
export type Death = {
  readonly step: Step;
  /**
   * Before the call, while the store works on the call, or after the write and before the caller gets the
   * result.
   */
  readonly moment: 'before' | 'during' | 'after';
  /** From 1; 1 when left out. */
  readonly nth?: number;
  /** How long the store works before the process ends, for `during`. */
  readonly duringMs?: number;
};

export const steps = [
  'leaseRelayer',
  'reserve',
  'execute',
  'owe',
  'completeOwed',
  'takeOwed',
  'endOwedRun',
  'release',
  'releaseAbandoned',
  'claimExecuted',
  'submit',
  'requeue',
  'settle',
  'closeNonce',
  'fail',
  'expire',
  'finalise',
  'reopen',
  'dropCompletion',
] as const satisfies readonly (keyof Store)[];

export type Step = (typeof steps)[number];

/** The steps before a claim, and the claim. */
const claimSteps: readonly Step[] = ['execute', 'owe', 'claimExecuted'];

type Operation = (...parameters: readonly unknown[]) => Promise<unknown>;

/** A store whose process ends with SIGKILL at one of its steps. */
export function dyingStore(store: OpenStore, { step, moment, nth = 1, duringMs = 0 }: Death): OpenStore {
  const expectsWork = createExpectation();
  let counted = 0;
  const isDue = () => ++counted === nth;
  let turn: Promise<unknown> = Promise.resolve();
  const watched = Object.fromEntries(
    steps.map((name) => {
      const operation = store[name] as Operation;
      return [
        name,
        (...parameters: readonly unknown[]) => inTurn(name, () => take(name, operation, parameters)),
      ];
    }),
  );
  return { ...store, ...watched };

  /**
   * Serialises a claim with the writes before it, because a running claim could take a payment that is not
   * counted yet.
   */
  function inTurn(name: Step, run: () => Promise<unknown>): Promise<unknown> {
    if (step !== 'claimExecuted' || !claimSteps.includes(name)) return run();
    const mine = turn.then(run);
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function take(name: Step, operation: Operation, parameters: readonly unknown[]): Promise<unknown> {
    const isHere = name === step;
    if (isHere && moment !== 'after' && expectsWork(name, parameters) && isDue()) {
      if (moment === 'before') die();
      const asked = operation(...parameters);
      setTimeout(die, duringMs);
      return asked;
    }
    const result = await operation(...parameters);
    expectsWork.note(name, parameters, result);
    if (isHere && moment === 'after' && didWork(result) && isDue()) die();
    return result;
  }
}

/** Whether a step changed the store. Many calls find nothing to do. */
function didWork(result: unknown): boolean {
  if (Array.isArray(result)) return result.length > 0;
  if (typeof result === 'number') return result > 0;
  if (typeof result === 'object' && result !== null && 'kind' in result) return result.kind === 'reserved';
  return result !== null;
}

/** Predicts whether a step will change the store. */
function createExpectation() {
  let executed = 0;
  let settledBlock = Number.POSITIVE_INFINITY;
  const expects = (name: Step, parameters: readonly unknown[]): boolean => {
    // Without a balance reading, the store reserves nothing for a new payer.
    if (name === 'reserve') return parameters[1] !== null;
    if (name === 'claimExecuted') return executed > 0;
    if (name === 'finalise') return Number(parameters[0]) >= settledBlock;
    return true;
  };
  const note = (name: Step, parameters: readonly unknown[], result: unknown) => {
    if (name === 'execute' || name === 'owe') executed += 1;
    if (name === 'claimExecuted') executed -= (result as readonly unknown[]).length;
    if (name === 'settle') settledBlock = (parameters[1] as { readonly block: number }).block;
  };
  return Object.assign(expects, { note });
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment. The process does nothing more until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('The process survived SIGKILL');
}

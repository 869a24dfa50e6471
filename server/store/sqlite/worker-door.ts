import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../vocabulary/clock.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import type { Operation } from './ledger.ts';
import { type Answer, type FromWorker, pack, type Question, type ToWorker, unpack } from './wire.ts';

export type DoorOptions = {
  readonly clock: Clock;
  readonly waitingMax: number;
  readonly operationTimeoutMs: number;
  readonly onFault: (fault: string) => void;
};

/** The side of the thread that asks. */
export type WorkerDoor = {
  /** Rejects with `StoreUnavailable` when too many wait, when the answer is late, and once the worker is gone. */
  ask<Name extends Operation>(
    name: Name,
    parameters: Parameters<Store[Name]>,
  ): Promise<Awaited<ReturnType<Store[Name]>>>;
  trouble(): string | null;
  /** Answers what was asked before, and then ends the thread. */
  close(): Promise<void>;
};

type Asked = {
  readonly resolve: (value: never) => void;
  readonly reject: (cause: Error) => void;
  readonly deadline: NodeJS.Timeout;
};

/** Waits for the worker to open its ledger; rejects with its reason when it cannot. */
export async function openDoor(worker: Worker, options: DoorOptions): Promise<WorkerDoor> {
  const { clock, waitingMax, operationTimeoutMs, onFault } = options;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const asked = new Map<number, Asked>();
  /** What the worker has before it, whether or not somebody still waits for the answer. */
  let unanswered = 0;
  let unsent: Question[] = [];
  let lastId = 0;
  let lost: string | null = null;

  await untilOpen(worker);
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'answers') message.answers.forEach(deliver);
    else if (message.kind === 'fault') onFault(message.fault);
  });
  worker.on('error', (cause) => lose(`the thread of the ledger died: ${cause.message}`));
  worker.on('messageerror', () => lose('the thread of the ledger cannot be understood'));
  worker.on('exit', () => lose('the thread of the ledger has ended'));
  return { ask, trouble, close };

  function ask<Name extends Operation>(
    name: Name,
    parameters: Parameters<Store[Name]>,
  ): Promise<Awaited<ReturnType<Store[Name]>>> {
    const hindrance = trouble();
    if (hindrance !== null) return Promise.reject(new StoreUnavailable(hindrance));
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      asked.set(id, { resolve, reject, deadline: setTimeout(giveUp, operationTimeoutMs, id, name) });
      unanswered++;
      // Whatever is asked in the same turn of the event loop goes over in one message.
      if (unsent.push({ id, name, parameters, now: clock.nowSeconds() }) === 1) queueMicrotask(sendUnsent);
    });
  }

  function sendUnsent(): void {
    const questions = unsent;
    unsent = [];
    if (questions.length === 0 || lost !== null) return;
    try {
      send({ kind: 'ask', questions });
    } catch (cause) {
      // Something in it cannot cross to another thread: our defect, and none of it went over.
      for (const { id } of questions) deliver({ id, ok: false, thrown: pack(cause) });
    }
  }

  function send(message: ToWorker): void {
    worker.postMessage(message);
  }

  function deliver(answer: Answer): void {
    unanswered--;
    const waiting = take(answer.id);
    if (answer.ok) waiting?.resolve(answer.value as never);
    else waiting?.reject(unpack(answer.thrown));
  }

  function giveUp(id: number, name: Operation): void {
    const message = `the ledger did not answer ${name} within ${operationTimeoutMs} ms; it may still do it`;
    take(id)?.reject(new StoreUnavailable(message));
  }

  function take(id: number): Asked | undefined {
    const waiting = asked.get(id);
    clearTimeout(waiting?.deadline);
    asked.delete(id);
    return waiting;
  }

  function lose(why: string): void {
    lost ??= why;
    for (const id of [...asked.keys()]) take(id)?.reject(new StoreUnavailable(lost));
  }

  function trouble(): string | null {
    return lost ?? (unanswered < waitingMax ? null : `${waitingMax} operations wait for the ledger already`);
  }

  async function close(): Promise<void> {
    if (lost === null) {
      sendUnsent();
      lost = 'the ledger is closed';
      send({ kind: 'close' });
    }
    await ended;
  }
}

function untilOpen(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the thread of the ledger ended before it was open'));
    worker.once('error', reject);
    worker.once('exit', onExit);
    worker.once('message', (message: FromWorker) => {
      worker.off('error', reject);
      worker.off('exit', onExit);
      if (message.kind === 'open') resolve();
      else
        reject(
          message.kind === 'closed-door'
            ? unpack(message.thrown)
            : new Error(`a worker said ${message.kind}`),
        );
    });
  });
}

import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../types/clock.ts';
import { type OpenStore, StoreUnavailable } from '../store.ts';
import type { Operation } from './operations.ts';

import {
  type FromWorker,
  pack,
  type ToWorker,
  unpack,
  type WorkerRequest,
  type WorkerResponse,
} from './wire.ts';

export type WorkerClientOptions = {
  readonly clock: Clock;
  readonly waitingMax: number;
  readonly operationTimeoutMs: number;
  readonly onFault: (fault: string) => void;
  /** Whether a worker that died may have a successor: not where the store died with it. */
  readonly restarts: boolean;
};

/** The side of the thread that asks. */
export type WorkerClient = {
  /** Rejects with `StoreUnavailable` when too many wait, when the answer is late, and when the worker died over it. */
  ask<Name extends Operation>(
    name: Name,
    parameters: Parameters<OpenStore[Name]>,
  ): Promise<Awaited<ReturnType<OpenStore[Name]>>>;
  /** Why nothing can be asked now; null while it can. */
  hindrance(): string | null;
  /** Answers what was asked before, and then ends the thread. */
  close(): Promise<void>;
};

type Asked = {
  readonly resolve: (value: never) => void;
  readonly reject: (cause: Error) => void;
  readonly deadline: NodeJS.Timeout;
};

/** The first successor comes at once, each later one after twice the pause; one that lived this long begins anew. */
const restartMs = 100;
const restartMsMax = 30_000;

/**
 * Waits for the worker to open its store; rejects with its reason when it cannot. One that dies later is started again:
 * what it had before it is unavailable, and may or may not have happened; what is asked meanwhile waits for the next one.
 */
export async function openWorkerClient(
  start: (again: boolean) => Worker,
  options: WorkerClientOptions,
): Promise<WorkerClient> {
  const { clock, waitingMax, operationTimeoutMs, onFault, restarts } = options;
  const asked = new Map<number, Asked>();
  /** What a worker has before it, whether or not somebody still waits for the answer. */
  let unanswered = 0;
  let unsent: WorkerRequest[] = [];
  let lastId = 0;
  /** Why nothing can be asked now. */
  let lost: string | null = null;
  let worker: Worker | null = null;
  let isClosing = false;
  let deaths = 0;
  /** Resolves when there is neither a worker nor one to come. */
  const over = Promise.withResolvers<void>();
  let restarting: NodeJS.Timeout | null = null;

  await begin(false);
  return { ask, hindrance, close };

  async function begin(again: boolean): Promise<void> {
    const started = start(again);
    const ended = new Promise<void>((resolve) => started.once('exit', () => resolve()));
    const openedAt = clock.monotonicMs();
    try {
      await untilOpen(started);
    } catch (cause) {
      await ended;
      throw cause;
    }
    worker = started;
    let why = 'the thread of the store has ended';
    started.on('message', (message: FromWorker) => {
      if (message.kind === 'responses') message.responses.forEach(deliver);
      else if (message.kind === 'fault') onFault(message.fault);
    });
    started.on('error', (cause) => {
      why = `the thread of the store died: ${cause.message}`;
    });
    started.on('messageerror', () => {
      why = 'the thread of the store cannot be understood';
      void started.terminate();
    });
    started.on('exit', () => {
      worker = null;
      if (clock.monotonicMs() - openedAt > restartMsMax) deaths = 0;
      lose(why);
    });
    sendUnsent();
    if (isClosing) send({ kind: 'close' });
  }

  /** Nobody answers any more what was asked of the worker. */
  function lose(why: string): void {
    const kept = new Set(unsent.map(({ id }) => id));
    for (const id of [...asked.keys()]) if (!kept.has(id)) take(id)?.reject(new StoreUnavailable(why));
    unanswered = unsent.length;
    if (isClosing || !restarts) giveUp(isClosing ? 'the store is closed' : why);
    else startAgain(why);
  }

  function startAgain(why: string): void {
    onFault(`${why}; it is started again`);
    deaths++;
    if (deaths === 1) {
      void restart();
      return;
    }
    refuse(why);
    restarting = setTimeout(restart, Math.min(restartMs * 2 ** (deaths - 2), restartMsMax));
  }

  async function restart(): Promise<void> {
    restarting = null;
    lost = null;
    try {
      await begin(true);
    } catch (cause) {
      lose(`the store cannot be opened again: ${cause instanceof Error ? cause.message : 'unknown'}`);
    }
  }

  /** Until the next worker opens, whoever asks is told at once. */
  function refuse(why: string): void {
    lost = why;
    for (const { id } of unsent) take(id)?.reject(new StoreUnavailable(why));
    unsent = [];
    unanswered = 0;
  }

  function giveUp(why: string): void {
    refuse(why);
    over.resolve();
  }

  function ask<Name extends Operation>(
    name: Name,
    parameters: Parameters<OpenStore[Name]>,
  ): Promise<Awaited<ReturnType<OpenStore[Name]>>> {
    const reason = hindrance();
    if (reason !== null) return Promise.reject(new StoreUnavailable(reason));
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      asked.set(id, { resolve, reject, deadline: setTimeout(tooLate, operationTimeoutMs, id, name) });
      unanswered++;
      // Whatever is asked in the same turn of the event loop goes over in one message.
      if (unsent.push({ id, name, parameters, now: clock.steadySeconds() }) === 1) queueMicrotask(sendUnsent);
    });
  }

  /** Nothing while there is no worker: the next one gets it. */
  function sendUnsent(): void {
    if (worker === null || unsent.length === 0) return;
    const requests = unsent;
    unsent = [];
    try {
      send({ kind: 'ask', requests });
    } catch (cause) {
      // Something in it cannot cross to another thread: our defect, and none of it went over.
      for (const { id } of requests) deliver({ id, ok: false, thrown: pack(cause) });
    }
  }

  function send(message: ToWorker): void {
    worker?.postMessage(message);
  }

  function deliver(answer: WorkerResponse): void {
    unanswered--;
    const waiting = take(answer.id);
    if (answer.ok) waiting?.resolve(answer.value as never);
    else waiting?.reject(unpack(answer.thrown));
  }

  function tooLate(id: number, name: Operation): void {
    const message = `the store did not answer ${name} within ${operationTimeoutMs} ms; it may still do it`;
    take(id)?.reject(new StoreUnavailable(message));
  }

  function take(id: number): Asked | undefined {
    const waiting = asked.get(id);
    clearTimeout(waiting?.deadline);
    asked.delete(id);
    return waiting;
  }

  function hindrance(): string | null {
    return lost ?? (unanswered < waitingMax ? null : `${waitingMax} operations wait for the store already`);
  }

  async function close(): Promise<void> {
    if (!isClosing) {
      isClosing = true;
      sendUnsent();
      lost = 'the store is closed';
      send({ kind: 'close' });
      if (restarting !== null) {
        clearTimeout(restarting);
        giveUp(lost);
      }
    }
    await over.promise;
  }
}

function untilOpen(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the thread of the store ended before it was open'));
    worker.once('error', reject);
    worker.once('exit', onExit);
    worker.once('message', (message: FromWorker) => {
      worker.off('error', reject);
      worker.off('exit', onExit);
      if (message.kind === 'open') resolve();
      else
        reject(
          message.kind === 'not-opened' ? unpack(message.thrown) : new Error(`a worker said ${message.kind}`),
        );
    });
  });
}

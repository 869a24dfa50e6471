import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../types/clock.ts';
import { StoreUnavailable } from '../store.ts';
import type { Operation, SqliteStore } from './operations.ts';

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
  /** Whether a worker that died is replaced: not when the store was in memory. */
  readonly restarts: boolean;
};

/** The main thread's side of the worker. */
export type WorkerClient = {
  /**
   * Rejects with `StoreUnavailable` when too many requests wait, when the response is late, or when the worker
   * died.
   */
  ask<Name extends Operation>(
    name: Name,
    parameters: Parameters<SqliteStore[Name]>,
  ): Promise<Awaited<ReturnType<SqliteStore[Name]>>>;
  /** Why no request is accepted now; null when one is. */
  hindrance(): string | null;
  /** Waits for the responses to all earlier requests, then ends the thread. */
  close(): Promise<void>;
};

type Asked = {
  readonly resolve: (value: never) => void;
  readonly reject: (cause: Error) => void;
  readonly deadline: NodeJS.Timeout;
};

/** Requests that wait for a response, sent or not sent yet. */
type RequestQueue = {
  add: WorkerClient['ask'];
  takeUnsent(): readonly WorkerRequest[];
  deliver(response: WorkerResponse): void;
  /** Rejects the sent requests after the worker ended. */
  rejectSent(why: string): void;
  rejectUnsent(why: string): void;
  /** How many requests have no response yet, whether or not the caller still waits. */
  unanswered(): number;
};

/** The state of the store's thread and of its replacement. */
type StoreThread = {
  worker: Worker | null;
  /** Why no request is accepted now. */
  lost: string | null;
  isClosing: boolean;
  deaths: number;
  restarting: NodeJS.Timeout | null;
};

type ClientPorts = WorkerClientOptions & {
  readonly start: (again: boolean) => Worker;
  readonly requests: RequestQueue;
  readonly thread: StoreThread;
  /** Resolves when there is no worker and none will be started. */
  readonly over: PromiseWithResolvers<void>;
};

/**
 * The first restart is immediate; each later pause doubles. A worker that lived for `restartMsMax` resets the
 * count.
 */
const restartMs = 100;
const restartMsMax = 30_000;

/**
 * Starts the worker and waits until it opened its store; rejects with the worker's error when it cannot. A
 * worker that dies later is replaced. Its open requests reject with `StoreUnavailable` and may or may not have
 * happened. New requests wait for the replacement.
 */
export async function openWorkerClient(
  start: (again: boolean) => Worker,
  options: WorkerClientOptions,
): Promise<WorkerClient> {
  const ports: ClientPorts = {
    ...options,
    start,
    requests: createRequestQueue(options, () => sendUnsent(ports)),
    thread: { worker: null, lost: null, isClosing: false, deaths: 0, restarting: null },
    over: Promise.withResolvers<void>(),
  };
  await begin(ports, false);
  return {
    ask(name, parameters) {
      const reason = hindrance(ports);
      if (reason !== null) return Promise.reject(new StoreUnavailable(reason));
      return ports.requests.add(name, parameters);
    },
    hindrance: () => hindrance(ports),
    close: () => close(ports),
  };
}

function createRequestQueue(
  { clock, operationTimeoutMs }: WorkerClientOptions,
  sendUnsent: () => void,
): RequestQueue {
  const asked = new Map<number, Asked>();
  let unanswered = 0;
  let unsent: WorkerRequest[] = [];
  let lastId = 0;
  return {
    add: (name, parameters) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        asked.set(id, { resolve, reject, deadline: setTimeout(tooLate, operationTimeoutMs, id, name) });
        unanswered++;
        // All requests of one turn of the event loop are sent in one message.
        if (unsent.push({ id, name, parameters, now: clock.steadySeconds() }) === 1)
          queueMicrotask(sendUnsent);
      }),
    takeUnsent() {
      const requests = unsent;
      unsent = [];
      return requests;
    },
    deliver(response) {
      unanswered--;
      const waiting = take(response.id);
      if (response.ok) waiting?.resolve(response.value as never);
      else waiting?.reject(unpack(response.thrown));
    },
    rejectSent(why) {
      const kept = new Set(unsent.map(({ id }) => id));
      for (const id of [...asked.keys()]) if (!kept.has(id)) take(id)?.reject(new StoreUnavailable(why));
      unanswered = unsent.length;
    },
    rejectUnsent(why) {
      for (const { id } of unsent) take(id)?.reject(new StoreUnavailable(why));
      unsent = [];
      unanswered = 0;
    },
    unanswered: () => unanswered,
  };

  function tooLate(id: number, name: Operation): void {
    const message = `the store did not respond to ${name} within ${operationTimeoutMs} ms; the operation may still happen`;
    take(id)?.reject(new StoreUnavailable(message));
  }

  function take(id: number): Asked | undefined {
    const waiting = asked.get(id);
    clearTimeout(waiting?.deadline);
    asked.delete(id);
    return waiting;
  }
}

async function begin(ports: ClientPorts, again: boolean): Promise<void> {
  const { start, clock, onFault, requests, thread } = ports;
  const started = start(again);
  const ended = new Promise<void>((resolve) => started.once('exit', () => resolve()));
  const openedAt = clock.monotonicMs();
  try {
    await untilOpen(started, onFault);
  } catch (cause) {
    await ended;
    throw cause;
  }
  thread.worker = started;
  let why = 'the thread of the store ended';
  started.on('message', (message: FromWorker) => {
    if (message.kind === 'responses') message.responses.forEach(requests.deliver);
    else if (message.kind === 'fault') onFault(message.fault);
  });
  started.on('error', (cause) => {
    why = `the thread of the store died: ${cause.message}`;
  });
  started.on('messageerror', () => {
    why = "a message of the store's thread cannot be decoded";
    void started.terminate();
  });
  started.on('exit', () => {
    thread.worker = null;
    if (clock.monotonicMs() - openedAt > restartMsMax) thread.deaths = 0;
    lose(ports, why);
  });
  sendUnsent(ports);
  if (thread.isClosing) send(ports, { kind: 'close' });
}

function lose(ports: ClientPorts, why: string): void {
  const { requests, restarts, thread } = ports;
  requests.rejectSent(why);
  if (thread.isClosing || !restarts) giveUp(ports, thread.isClosing ? 'the store is closed' : why);
  else startAgain(ports, why);
}

function startAgain(ports: ClientPorts, why: string): void {
  const { onFault, thread } = ports;
  onFault(`${why}; the gateway starts the thread again`);
  thread.deaths++;
  if (thread.deaths === 1) {
    void restart(ports);
    return;
  }
  refuse(ports, why);
  const pauseMs = Math.min(restartMs * 2 ** (thread.deaths - 2), restartMsMax);
  thread.restarting = setTimeout(restart, pauseMs, ports);
}

async function restart(ports: ClientPorts): Promise<void> {
  const { thread } = ports;
  thread.restarting = null;
  thread.lost = null;
  try {
    await begin(ports, true);
  } catch (cause) {
    lose(ports, `the store cannot be reopened: ${cause instanceof Error ? cause.message : 'unknown'}`);
  }
}

/** Rejects each request at once until the next worker opens. */
function refuse({ requests, thread }: ClientPorts, why: string): void {
  thread.lost = why;
  requests.rejectUnsent(why);
}

function giveUp(ports: ClientPorts, why: string): void {
  refuse(ports, why);
  ports.over.resolve();
}

/** Sends nothing while there is no worker; the next worker gets the requests. */
function sendUnsent(ports: ClientPorts): void {
  if (ports.thread.worker === null) return;
  const requests = ports.requests.takeUnsent();
  if (requests.length === 0) return;
  try {
    send(ports, { kind: 'ask', requests });
  } catch (cause) {
    // A value cannot be sent to another thread, which is a defect. None of the requests was sent.
    for (const { id } of requests) ports.requests.deliver({ id, ok: false, thrown: pack(cause) });
  }
}

function send({ thread }: ClientPorts, message: ToWorker): void {
  thread.worker?.postMessage(message);
}

function hindrance({ requests, waitingMax, thread }: ClientPorts): string | null {
  const isFull = requests.unanswered() >= waitingMax;
  return thread.lost ?? (isFull ? `${waitingMax} operations already wait for the store` : null);
}

async function close(ports: ClientPorts): Promise<void> {
  const { thread, over } = ports;
  if (!thread.isClosing) {
    thread.isClosing = true;
    sendUnsent(ports);
    thread.lost = 'the store is closed';
    send(ports, { kind: 'close' });
    if (thread.restarting !== null) {
      clearTimeout(thread.restarting);
      giveUp(ports, thread.lost);
    }
  }
  await over.promise;
}

/** Passes the faults that the worker finds while it opens the store. */
function untilOpen(worker: Worker, onFault: (fault: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the thread of the store ended before it opened the store'));
    worker.once('error', reject);
    worker.once('exit', onExit);
    worker.on('message', receive);

    function receive(message: FromWorker): void {
      if (message.kind === 'fault') {
        onFault(message.fault);
        return;
      }
      worker.off('message', receive);
      worker.off('error', reject);
      worker.off('exit', onExit);
      if (message.kind === 'open') resolve();
      else if (message.kind === 'not-opened') reject(unpack(message.thrown));
      else reject(new Error(`the worker sent ${message.kind} before it opened the store`));
    }
  });
}

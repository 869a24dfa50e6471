import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createNextTurns } from './next-turns.ts';
import { controlReading, type Reading } from './reading.ts';

export type TurnLimits = {
  /** Requests of one connection that wait behind the one under way; then the connection is read no further. */
  readonly pipelinedRequestsMax: number;
  /** The same for their bytes, headers and bodies together. */
  readonly pipelinedBytesMax: number;
  /** How long a client may take to read a response that is complete. */
  readonly responseTimeoutMs: number;
  readonly headersTimeoutMs: number;
};

export type InTurn = {
  /** Begins a connection. */
  open(socket: Socket): void;
  /** Passes a request on when every earlier request of its connection has its response. */
  readonly take: RequestListener;
  /** Calls `last` after the responses that are owed, and takes no more requests from the connection. */
  endWith(socket: Duplex, last: () => void): void;
  /**
   * The same for a request that arrives too slowly. Node does not know that the connection is not read while an earlier
   * request is under way, so what comes behind has its time from then on.
   */
  endLate(socket: Duplex, last: () => void): void;
  /** Ends each connection as soon as it has no request under way. A request gets a moment to arrive whole. */
  drain(): void;
  /** Whether a request that arrived whole is under way. */
  hasWork(): boolean;
};

/** What a request that began to arrive has left when the gateway stops. Nothing was paid with it yet. */
const arrivalMs = 1_000;

type Turn = {
  readonly socket: Socket;
  readonly reading: Reading;
  /** The request that is under way. */
  current: IncomingMessage | null;
  readonly waiting: [IncomingMessage, ServerResponse][];
  waitingBytes: number;
  last: (() => void) | null;
  /** Ends the connection where Node has stopped to time the request that arrives. */
  late: (() => void) | null;
  lateTimer?: NodeJS.Timeout;
  /** Whether the connection ends when it has no request under way. */
  isLast: boolean;
};

/**
 * One request at a time for each connection (D-132). Node parses pipelined requests ahead of the responses and hands out
 * all of them at once, so that one connection can hold thousands of responses in memory.
 */
export function inTurn(listener: RequestListener, limits: TurnLimits): InTurn {
  const turns = new Map<Duplex, Turn>();
  const startSoon = createNextTurns();
  const parseSoon = createNextTurns();

  return {
    open(socket) {
      const reading = controlReading(socket, parseSoon);
      const idle = { current: null, waiting: [], waitingBytes: 0, last: null, late: null, isLast: false };
      const turn: Turn = { socket, reading, ...idle };
      turns.set(socket, turn);
      socket.once('close', () => {
        clearTimeout(turn.lateTimer);
        turns.delete(socket);
      });
    },
    take(request, response) {
      const turn = turns.get(request.socket);
      // A connection that was refused or ended may still have bytes that were read before.
      if (turn === undefined || turn.last !== null || !request.socket.writable) return;
      clearTimeout(turn.lateTimer);
      turn.late = null;
      turn.reading.expectBody(Number(request.headers['content-length']) || 0);
      if (turn.current === null) return start(turn, request, response);
      turn.waiting.push([request, response]);
      turn.waitingBytes += sizeOf(request, limits.pipelinedBytesMax);
      if (isFull(turn, limits)) turn.reading.hold();
    },
    endWith,
    endLate(socket, last) {
      const turn = turns.get(socket);
      if (!turn?.current?.complete) return endWith(socket, last);
      // A body that waits has its time when it is read.
      if (turn.waiting.every(([{ complete }]) => complete)) turn.late = last;
    },
    drain: () => drainTurns(turns),
    hasWork: () => [...turns.values()].some(({ current }) => current?.complete),
  };

  function endWith(socket: Duplex, last: () => void): void {
    const turn = turns.get(socket);
    // A request that is broken itself gets its response now.
    if (turn?.current?.complete) turn.last ??= last;
    else last();
  }

  function start(turn: Turn, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    turn.current = request;
    response.once('prefinish', () => {
      const timer = setTimeout(() => socket.destroy(), limits.responseTimeoutMs);
      response.once('close', () => clearTimeout(timer));
    });
    response.once('close', () => {
      // In a later turn of the event loop, so that one connection cannot keep the others out.
      if (turn.waiting.length > 0 || turn.last !== null) startSoon(() => startNext(turn, socket));
      else endTurn(turn);
    });
    listener(request, response);
  }

  function startNext(turn: Turn, socket: Duplex): void {
    turn.current = null;
    // After `Connection: close`, or when the client left, nobody would read another response.
    if (!socket.writable) turn.waiting.length = 0;
    const [request, response] = turn.waiting.shift() ?? [];
    if (turn.last !== null && !request?.complete) {
      turn.waiting.length = 0;
      turn.last();
      return;
    }
    if (request !== undefined && response !== undefined) {
      turn.waitingBytes -= sizeOf(request, limits.pipelinedBytesMax);
      start(turn, request, response);
    } else endTurn(turn);
    if (!isFull(turn, limits)) turn.reading.release();
  }

  function endTurn(turn: Turn): void {
    turn.current = null;
    if (turn.isLast) turn.socket.destroySoon();
    else if (turn.late !== null) turn.lateTimer = setTimeout(turn.late, limits.headersTimeoutMs);
  }
}

function isFull({ waiting, waitingBytes }: Turn, limits: TurnLimits): boolean {
  return waiting.length >= limits.pipelinedRequestsMax || waitingBytes >= limits.pipelinedBytesMax;
}

function drainTurns(turns: ReadonlyMap<Duplex, Turn>): void {
  for (const turn of turns.values()) {
    turn.isLast = true;
    if (turn.current === null) turn.socket.destroySoon();
  }
  const cut = () => {
    for (const { socket, current } of turns.values()) if (!current?.complete) socket.destroySoon();
  };
  if (turns.size > 0) setTimeout(cut, arrivalMs).unref();
}

/** Headers and body in bytes; a body of unknown length counts as the most. */
function sizeOf({ rawHeaders, headers }: IncomingMessage, most: number): number {
  if (headers['transfer-encoding'] !== undefined) return most;
  const head = rawHeaders.reduce((bytes, text) => bytes + text.length, 0);
  return head + (Number(headers['content-length']) || 0);
}

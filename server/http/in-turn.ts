import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { controlReading, type Reading } from './reading.ts';

export type TurnLimits = {
  /** Requests of one connection that wait behind the one under way; then the connection is read no further. */
  readonly pipelinedRequestsMax: number;
  /** How long a client may take to read a response that is complete. */
  readonly responseTimeoutMs: number;
};

export type InTurn = {
  /** Begins a connection. */
  open(socket: Socket): void;
  /** Passes a request on when every earlier request of its connection has its response. */
  readonly take: RequestListener;
  /** Calls `last` after the responses that are owed, and takes no more requests from the connection. */
  endWith(socket: Duplex, last: () => void): void;
};

type Turn = {
  readonly reading: Reading;
  /** The request that is under way. */
  current: IncomingMessage | null;
  readonly waiting: [IncomingMessage, ServerResponse][];
  last: (() => void) | null;
};

/**
 * One request at a time for each connection (D-132). Node parses pipelined requests ahead of the responses and hands out
 * all of them at once, so that one connection can hold thousands of responses in memory.
 */
export function inTurn(listener: RequestListener, limits: TurnLimits): InTurn {
  const turns = new WeakMap<Duplex, Turn>();

  return {
    open(socket) {
      turns.set(socket, { reading: controlReading(socket), current: null, waiting: [], last: null });
    },
    take(request, response) {
      const turn = turns.get(request.socket);
      // A connection that was refused or ended may still have bytes that were read before.
      if (turn === undefined || turn.last !== null || !request.socket.writable) return;
      turn.reading.expectBody(Number(request.headers['content-length']) || 0);
      if (turn.current === null) return start(turn, request, response);
      turn.waiting.push([request, response]);
      if (turn.waiting.length >= limits.pipelinedRequestsMax) turn.reading.hold();
    },
    endWith(socket, last) {
      const turn = turns.get(socket);
      // A request that is broken itself gets its response now.
      if (turn?.current?.complete) turn.last ??= last;
      else last();
    },
  };

  function start(turn: Turn, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    turn.current = request;
    response.once('prefinish', () => {
      const timer = setTimeout(() => socket.destroy(), limits.responseTimeoutMs);
      response.once('close', () => clearTimeout(timer));
    });
    response.once('close', () => {
      // In a later turn of the event loop, so that one connection cannot keep the others out.
      if (turn.waiting.length > 0 || turn.last !== null) setImmediate(startNext, turn, socket);
      else turn.current = null;
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
    if (request !== undefined && response !== undefined) start(turn, request, response);
    if (turn.waiting.length < limits.pipelinedRequestsMax) turn.reading.release();
  }
}

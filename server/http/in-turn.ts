import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientSite } from './client-network.ts';
import { lingerOnClose } from './linger.ts';
import { createNextTurns, type NextTurns } from './next-turns.ts';
import { controlReading, type Reading } from './reading.ts';
import { boundUnsent, type Unsent } from './unsent.ts';
import { waitingRequests } from './waiting-requests.ts';

export type TurnLimits = {
  /**
   * Requests of one connection that may wait behind the current one. At the limit the gateway stops reading.
   */
  readonly pipelinedRequestsMax: number;
  /** The limit for the bytes of waiting requests, headers and bodies together. */
  readonly pipelinedBytesMax: number;
  /** How long a client may take to read a complete response. */
  readonly responseTimeoutMs: number;
  /** The limit for the bytes of all responses that clients do not read. */
  readonly unsentBytesMax: number;
  readonly headersTimeoutMs: number;
  /** How long the gateway discards a body after the response, when the connection ends. */
  readonly bodyTimeoutMs: number;
};

export type InTurn = {
  /** Registers a new connection. */
  open(socket: Socket): void;
  /** Passes a request on once every earlier request of its connection has its response. */
  readonly take: RequestListener;
  /** Calls `last` after the outstanding responses, and accepts no more requests from the connection. */
  endWith(socket: Duplex, last: () => void): void;
  /**
   * The same for a request that arrives too slowly. Node does not know that the gateway stops reading the
   * connection while an earlier request is in progress. So the next request gets its full time after that.
   */
  endLate(socket: Duplex, last: () => void): void;
  /** Ends each connection once it has no request in progress. A partial request gets a moment to arrive. */
  drain(): void;
  /** Whether a request that arrived completely is in progress. */
  hasWork(): boolean;
  stageOf(socket: Duplex): Stage;
};

/**
 * A connection has no complete request, or one that waits for its turn, or the gateway works on one, or the gateway waits
 * until the client reads a response.
 */
export type Stage = 'idle' | 'waiting' | 'working' | 'unread';

/** The time that a partial request has to arrive when the gateway stops. It cannot have been paid yet. */
const arrivalMs = 1_000;

/**
 * Waiting requests that start in one turn of the event loop. The gateway accepts up to eight connections in a turn
 * (D-415), so new clients wait longer if turns are long (D-403, D-429).
 */
const startsOfTurn = { callsMax: 16, ms: 4 };
/**
 * Requests that start at once in one turn. While at least 1,024 sockets are ready, libuv reads up to 48 times as many
 * before anything else runs, and a client that gets its response at once is ready again (D-429).
 */
const startsAtOnceMax = 128;
/**
 * Slices that the parser gets in one turn. A paid request has more than one, so with 2 it would wait. 1 KiB of one-byte
 * chunks takes a third of a millisecond.
 */
const slicesOfTurn = { callsMax: 8, ms: 0.5 };

type Turn = {
  readonly socket: Socket;
  /** The site of the client (D-224). */
  readonly site: string;
  readonly reading: Reading;
  /** The request in progress. */
  current: IncomingMessage | null;
  response: ServerResponse | null;
  /** A request that has its response, but whose body had not arrived then. */
  early: IncomingMessage | null;
  readonly waiting: [IncomingMessage, ServerResponse][];
  waitingBytes: number;
  last: (() => void) | null;
  /** Ends the connection. Set when Node has stopped timing the request that is arriving. */
  late: (() => void) | null;
  lateTimer?: NodeJS.Timeout;
  /** Whether the connection ends when no request is in progress. */
  isLast: boolean;
};

/**
 * Serves one request at a time for each connection (D-132). Node parses pipelined requests ahead of the
 * responses and emits all of them at once, so one connection could hold thousands of responses in memory.
 */
export function inTurn(listener: RequestListener, limits: TurnLimits): InTurn {
  const turns = new Map<Duplex, Turn>();
  const starting = createNextTurns(startsOfTurn);
  const parsing = createNextTurns(slicesOfTurn);
  const unsent = boundUnsent(limits.unsentBytesMax);
  const mayStartAtOnce = countStarts();

  return {
    open(socket) {
      const turn = createTurn(socket, parsing, limits.bodyTimeoutMs);
      turns.set(socket, turn);
      socket.once('close', () => turns.delete(socket));
    },
    take(request, response) {
      const turn = turns.get(request.socket);
      // A refused connection may still have bytes that were read before.
      if (turn === undefined || turn.last !== null || !request.socket.writable) return;
      clearTimeout(turn.lateTimer);
      turn.late = null;
      turn.reading.expectBody(Number(request.headers['content-length']) || 0);
      // The requests of a site keep their order.
      const isFirst = turn.current === null && !starting.has(turn.site);
      if (isFirst && mayStartAtOnce()) return start(turn, request, response);
      turn.waiting.push([request, response]);
      turn.waitingBytes += countBytes(request, limits.pipelinedBytesMax);
      if (turn.current === null) startLater(turn, request);
      if (isFull(turn, limits)) turn.reading.hold();
    },
    endWith: (socket, last) => endWith(turns.get(socket), last),
    endLate(socket, last) {
      const turn = turns.get(socket);
      if (!turn?.current?.complete) endWith(turn, last);
      // The body of a waiting request is timed when the gateway reads it.
      else if (turn.waiting.every(([{ complete }]) => complete)) turn.late = last;
    },
    drain: () => drainTurns(turns),
    hasWork: () => [...turns.values()].some(({ current }) => current?.complete),
    stageOf: (socket) => readStage(turns.get(socket)),
  };

  /** Keeps the place of the first waiting request of a connection until a later turn. */
  function startLater(turn: Turn, request: IncomingMessage): void {
    turn.current = request;
    waitingRequests.add(request);
    starting.add(turn.site, () => {
      waitingRequests.delete(request);
      startNext(turn, turn.socket);
    });
  }

  function start(turn: Turn, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    turn.current = request;
    turn.response = response;
    sayIfLast(turn);
    watchReader(response, socket, unsent, limits.responseTimeoutMs);
    response.once('close', () => {
      // In a later turn of the event loop, so that one connection cannot block the others.
      if (turn.waiting.length > 0 || turn.last !== null)
        starting.add(turn.site, () => startNext(turn, socket));
      else endTurn(turn, limits);
    });
    listener(request, response);
  }

  function startNext(turn: Turn, socket: Duplex): void {
    turn.current = null;
    // After `Connection: close`, and when the client has left, the client reads no further response.
    if (!socket.writable) turn.waiting.length = 0;
    const [request, response] = turn.waiting.shift() ?? [];
    if (turn.last !== null && !request?.complete) {
      turn.waiting.length = 0;
      turn.last();
      return;
    }
    if (request !== undefined && response !== undefined) {
      turn.waitingBytes -= countBytes(request, limits.pipelinedBytesMax);
      start(turn, request, response);
    } else endTurn(turn, limits);
    if (!isFull(turn, limits)) turn.reading.release();
  }
}

/** Returns whether a request may start at once, which no more than `startsAtOnceMax` in a turn may. */
function countStarts(): () => boolean {
  let starts = 0;
  return () => {
    if (starts === 0) {
      setImmediate(() => {
        starts = 0;
      });
    }
    starts += 1;
    return starts <= startsAtOnceMax;
  };
}

function endWith(turn: Turn | undefined, last: () => void): void {
  // If the current request is the broken one, its response is sent now.
  if (turn?.current?.complete) turn.last ??= last;
  // A request with a response gets no second one.
  else if (turn?.current === null && findUnread(turn) !== null) turn.socket.destroySoon();
  else last();
}

function endTurn(turn: Turn, { headersTimeoutMs }: TurnLimits): void {
  turn.early = findUnread(turn);
  turn.current = null;
  if (turn.isLast) turn.socket.destroySoon();
  else if (turn.late !== null) turn.lateTimer = setTimeout(turn.late, headersTimeoutMs);
}

function createTurn(socket: Socket, parsing: NextTurns, lingerMs: number): Turn {
  const site = clientSite(socket.remoteAddress ?? '');
  const reading = controlReading(socket, (call) => parsing.add(site, call));
  const none = { current: null, response: null, early: null, last: null, late: null };
  const turn: Turn = { socket, site, reading, ...none, waiting: [], waitingBytes: 0, isLast: false };
  socket.once('close', () => clearTimeout(turn.lateTimer));
  // A full gateway reads no more of a body that it has refused.
  const isBrief = () => turn.isLast || (turn.response?.statusCode ?? 0) >= 500;
  lingerOnClose(socket, () => (isBrief() ? null : findUnread(turn)), lingerMs);
  return turn;
}

function findUnread({ current, early }: Turn): IncomingMessage | null {
  const last = current ?? early;
  return last?.complete === false ? last : null;
}

function readStage(turn: Turn | undefined): Stage {
  if (!turn?.current?.complete) return 'idle';
  if (waitingRequests.has(turn.current)) return 'waiting';
  return turn.response?.writableEnded || turn.response?.writableNeedDrain ? 'unread' : 'working';
}

/** Ends the connection of a client that does not read a complete response in time, and counts its bytes until then. */
function watchReader(response: ServerResponse, socket: Socket, unsent: Unsent, timeoutMs: number): void {
  response.once('prefinish', () => {
    // The kernel has taken all bytes.
    if (socket.writableLength === 0) return;
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      unsent.remove(socket);
    });
    unsent.add(socket, socket.writableLength);
  });
}

function isFull({ waiting, waitingBytes }: Turn, limits: TurnLimits): boolean {
  return waiting.length >= limits.pipelinedRequestsMax || waitingBytes >= limits.pipelinedBytesMax;
}

function drainTurns(turns: ReadonlyMap<Duplex, Turn>): void {
  for (const turn of turns.values()) {
    turn.isLast = true;
    sayIfLast(turn);
    if (turn.current === null) turn.socket.destroySoon();
  }
  const cut = () => {
    for (const { socket, current } of turns.values()) if (!current?.complete) socket.destroySoon();
  };
  if (turns.size > 0) setTimeout(cut, arrivalMs).unref();
}

/** Says `Connection: close` with the last response of a connection that the shutdown ends (D-198). */
function sayIfLast({ response, isLast, waiting }: Turn): void {
  if (isLast && waiting.length === 0 && response !== null) response.shouldKeepAlive = false;
}

/** Headers and body in bytes. A body of unknown length counts as `most`. */
function countBytes({ rawHeaders, headers }: IncomingMessage, most: number): number {
  if (headers['transfer-encoding'] !== undefined) return most;
  const head = rawHeaders.reduce((bytes, text) => bytes + text.length, 0);
  return head + (Number(headers['content-length']) || 0);
}

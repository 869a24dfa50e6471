import type { operations } from '@paid-inference/contract/types';
import type { SaleNote } from '../observe/sale-note.ts';

/**
 * Removes the index signature that openapi-typescript adds to header maps. Without it a misspelt header does
 * not compile.
 */
type Declared<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type HeadersOf<R> = R extends { headers: infer H } ? Declared<H> : Record<never, never>;
type Parameters<Operation, Place extends string> = Operation extends { parameters: infer P }
  ? Place extends keyof P
    ? NonNullable<P[Place]>
    : Record<never, never>
  : Record<never, never>;

type OneReply<Status, Response> =
  | {
      readonly status: Status;
      readonly headers: HeadersOf<Response>;
      readonly body: JsonOf<Response>;
    }
  | StreamedReply<Status, Response>;

/**
 * A response that the contract declares as server-sent events. `writeEvent` makes each text. One string has all events
 * of a stream that is whole.
 */
type StreamedReply<Status, Response> = Response extends { content: { 'text/event-stream': unknown } }
  ? {
      readonly status: Status;
      readonly headers: HeadersOf<Response>;
      readonly body: null;
      readonly events: AsyncIterable<string> | string;
    }
  : never;

/** Every response that the contract declares for an operation, and no other. */
export type Reply<Operation> = Operation extends { responses: infer All }
  ? { [Status in keyof All]: OneReply<Status, All[Status]> }[keyof All]
  : never;

/** A request to an operation after validation. */
type Call<Operation> = {
  readonly body: Operation extends { requestBody: { content: { 'application/json': infer Body } } }
    ? Body
    : undefined;
  /** The body as the client sent it, with the nulls that `body` lacks (D-29, D-263). */
  readonly received: Operation extends { requestBody: unknown } ? object : undefined;
  readonly headers: Declared<Parameters<Operation, 'header'>>;
  readonly path: Parameters<Operation, 'path'>;
  readonly query: Declared<Parameters<Operation, 'query'>>;
};

export type ClientWatch = {
  /** Aborted when the client leaves before its response. */
  readonly left: AbortSignal;
  /** Whether the whole response was sent. Resolves when the response is closed. */
  readonly delivered: Promise<boolean>;
};

/** Facts about a request that are not in the call. */
export type Exchange = {
  readonly requestId: string;
  /** The client's network (D-133). */
  readonly network: string;
  /** The client's site (D-224). */
  readonly site: string;
  /** Watches the client from the first call on. Only a paid request needs it. */
  readonly watchClient: () => ClientWatch;
  /** Top-level fields of the body that the contract does not know (D-09). */
  readonly ignoredFields: readonly string[];
  /** Adds fields to the log line of this request. The last value of a field counts. */
  note(sale: SaleNote): void;
};

/** One handler for each operation of the contract. A missing or an extra handler does not compile. */
export type Handlers = {
  readonly [Id in keyof operations]: (
    call: Call<operations[Id]>,
    exchange: Exchange,
  ) => Promise<Reply<operations[Id]>>;
};

export type Operations = operations;
export type OperationId = keyof operations;

/** A request as the client sent it, or as the gateway reads it. Header names are in lower case. */
export type Asked = {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Header names as the client spelled them. */
  readonly names: readonly string[];
  readonly text: string;
  /** Whether each part of the body, as HTTP delivers it, can be decoded alone. */
  readonly hasWholeLetters: boolean;
  /** The same object for each request on one connection. */
  readonly connection: object;
  /** Number of earlier requests on the same connection. */
  readonly before: number;
  /** Number of other requests in progress when this request was complete. */
  readonly beside: number;
};

/** A response, with header names as they are sent. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

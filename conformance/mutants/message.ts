/** A request as it was sent, or as the gateway gets to read it. Header names are in lower case. */
export type Asked = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers as they were spelled. */
  readonly names: readonly string[];
  readonly text: string;
  /** Requests that came on the same connection before. */
  readonly before: number;
  /** Other requests that were under way when all of this one was there. */
  readonly beside: number;
};

/** An answer, with header names as they go out. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

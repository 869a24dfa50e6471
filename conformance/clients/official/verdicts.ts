import verdicts from './verdicts.json' with { type: 'json' };

/** The verdict on a published client, with ids of requirements. */
export type PublishedVerdict = {
  /** Names and versions. */
  readonly client: string;
  readonly must: { readonly verified: number; readonly total: number };
  readonly failed: readonly string[];
  readonly warned: readonly string[];
  /** Requirements that cannot be determined. */
  readonly open: readonly string[];
  /** Requirements for streams, if the client was not asked for one. */
  readonly unstreamed: readonly string[];
};

export const publishedVerdicts: readonly PublishedVerdict[] = verdicts;

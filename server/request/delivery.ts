/** The fields that choose how a completion is sent, and not what is bought (D-271). */
export type DeliveryFields = {
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
};

/**
 * The part of a body that is bought. A payer may get the completion of a streamed request with the same payment and
 * without `stream`.
 */
export function boughtPart(body: object): object {
  if (!('stream' in body || 'stream_options' in body)) return body;
  const { stream: _, stream_options: __, ...bought } = body as DeliveryFields;
  return bought;
}

export function isStreamed({ stream }: DeliveryFields): boolean {
  return stream ?? false;
}

export function wantsUsage({ stream_options: options }: DeliveryFields): boolean {
  return options?.include_usage ?? false;
}

import { headerNames, streamDone } from '@paid-inference/contract/constants';

type Chunk = {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage: object | null;
};

/** The body of the same completion without a stream, byte for byte. Empty for a stream without its end. */
export function assembleStream(text: string): string {
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  if (events.pop() !== streamDone) return '';
  const chunks = events.map((event) => JSON.parse(event) as Chunk);
  const [first] = chunks;
  if (first === undefined) return '';
  const { id, created, model } = first;
  const parts = chunks.flatMap(({ choices }) => choices);
  const message = { role: 'assistant', content: parts.map(({ delta }) => delta.content ?? '').join('') };
  const finish_reason = parts.at(-1)?.finish_reason;
  const choices = [{ index: 0, message, finish_reason }];
  const usage = chunks.at(-1)?.usage;
  return JSON.stringify({ id, object: 'chat.completion', created, model, choices, usage });
}

/** The encoded proof in the comment of a stream (D-267); empty without one. */
export function readStreamProof(text: string): string {
  return new RegExp(`^: ${headerNames.inferenceProof}: (.+)$`, 'm').exec(text)?.[1] ?? '';
}

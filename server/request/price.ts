import type { RateCard } from '../inference/catalog.ts';
import type { InferenceTask } from '../inference/engine.ts';
import { type AtomicAmount, atomicAmount } from '../types/units.ts';

/** `max(minimum, ceil((input × input rate + max_tokens × output rate) / 1e6))` (D-16). */
export function computePrice(inputTokens: number, maxTokens: number, rateCard: RateCard): AtomicAmount {
  const micro =
    BigInt(inputTokens) * rateCard.inputPerMillion + BigInt(maxTokens) * rateCard.outputPerMillion;
  const price = (micro + 999_999n) / 1_000_000n;
  return price > rateCard.minimum ? atomicAmount(price) : rateCard.minimum;
}

/** The average bytes of a token, and the tokens of a message without its text (D-16). */
const bytesPerToken = 4;
const tokensPerMessage = 4;

/**
 * Estimates the input tokens for the quote: a quarter of the UTF-8 bytes that the model reads, tools and the
 * schema of the completion included, rounded up, and four for each message. It is no tokenizer on purpose: a price
 * must be the same for every engine, instance and release, and cost microseconds (D-16).
 */
export function estimateInputTokens(task: InferenceTask): number {
  if (task.kind === 'text') return countTokens(task.prompt);
  const { json_schema: schema } = task.fields.response_format ?? {};
  let tokens = task.tools.length > 0 ? countTokens(JSON.stringify(task.tools)) : 0;
  if (schema !== undefined) tokens += countTokens(JSON.stringify(schema));
  for (const message of task.messages) {
    tokens += tokensPerMessage + countTokens(message.content ?? '') + countTokens(message.name ?? '');
    if (message.role === 'tool') tokens += countTokens(message.tool_call_id);
    if (message.role === 'assistant')
      for (const call of message.tool_calls ?? []) tokens += countTokens(JSON.stringify(call));
  }
  return tokens;
}

function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

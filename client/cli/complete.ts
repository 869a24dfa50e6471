import type { CompletionRequest } from '@paid-inference/contract/types';
import type { CommandOutcome } from './outcome.ts';
import { type Order, purchase } from './purchase.ts';
import type { CommandContext, PurchaseOptions } from './settings.ts';

/** `complete <prompt>`: buys one text completion. */
export async function complete(
  context: CommandContext,
  prompt: string,
  options: PurchaseOptions,
): Promise<CommandOutcome> {
  const body = (model: string): CompletionRequest => ({
    model,
    prompt,
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
  });
  const { signal } = context;
  const order: Order = { body, buy: (client, model) => client.complete(body(model), { signal }) };
  return purchase(context, options, order);
}

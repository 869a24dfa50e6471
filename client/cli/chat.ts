import { readFileSync } from 'node:fs';
import type { ChatCompletionRequest, Message, ToolDefinition } from '@paid-inference/contract/types';
import * as valid from '@paid-inference/contract/validators';
import type { Failed } from '../result.ts';
import { createLiveText } from './live-text.ts';
import { type CommandOutcome, usageFault } from './outcome.ts';
import { type Order, purchase } from './purchase.ts';
import type { ChatOptions, CommandContext } from './settings.ts';

/** `chat <prompt>`: buys one chat completion. */
export async function chat(
  context: CommandContext,
  prompt: string,
  options: ChatOptions,
): Promise<CommandOutcome> {
  const tools: ToolDefinition[] = [];
  for (const file of options.tool ?? []) {
    const read = readTools(file);
    if (typeof read === 'string') return usageFault(read);
    tools.push(...read);
  }
  const messages: Message[] = [{ role: 'user', content: prompt }];
  if (options.system !== undefined) messages.unshift({ role: 'system', content: options.system });
  const body = (model: string): ChatCompletionRequest => ({
    model,
    messages,
    ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(tools.length === 0 ? {} : { tools }),
  });
  const { signal } = context;
  const { write } = context.terminal;
  const live = write === null ? null : createLiveText(write);
  const order: Order = {
    body,
    async buy(client, model) {
      if (live === null) return client.chat(body(model), { signal });
      const streamed = await client.streamChat(body(model), { signal });
      return refusesStream(streamed) ? client.chat(body(model), { signal }) : live.print(streamed);
    },
  };
  const outcome = await purchase(context, options, order);
  return live === null ? outcome : live.finish(outcome);
}

/** A gateway that cannot stream may refuse `stream` before any payment. */
function refusesStream(result: { readonly kind: string }): boolean {
  const { param, payment } = result as Partial<Failed>;
  return result.kind === 'error' && param === 'stream' && payment?.state === 'unsent';
}

/** Reads one tool definition or a list of them. Returns a string with the reason when the file has none. */
function readTools(file: string): ToolDefinition[] | string {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'the file is not JSON' : 'the file cannot be read';
    return `no tool in ${file}: ${why}`;
  }
  const definitions: unknown[] = Array.isArray(content) ? content : [content];
  if (definitions.every((definition) => valid.ToolDefinition(definition))) return definitions;
  const [first] = valid.ToolDefinition.errors ?? [];
  return `no tool in ${file}: ${`${first?.instancePath ?? ''} ${first?.message ?? ''}`.trim()}`;
}

import type { ChatCompletion, ChatCompletionRequest, Message } from '@paid-inference/contract/types';
import type { Client } from '../client.ts';
import type { Purchase } from './chain-check.ts';
import type { Narrator } from './narrator.ts';
import { orderStatusTool, question, runOrderStatus } from './order-tool.ts';

const maxTokens = 200;

/**
 * Buys one chat completion with a tool, which takes two purchases: the model calls the tool, the tool runs
 * here, and the model answers with the result (contract §3, "Tool-call conversation"). Rejects when a step
 * fails.
 */
export async function buyWithTool(
  client: Client,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<Purchase[]> {
  narrator.chapter('Ask a question and offer a tool');
  const catalog = await client.models({ signal });
  if (catalog.kind !== 'models') throw new Error(`The gateway returned no catalog: ${catalog.message}`);
  const model = catalog.models[0]?.id;
  if (model === undefined) throw new Error('The catalog is empty');
  const messages: Message[] = [{ role: 'user', content: question }];
  const ask = (): ChatCompletionRequest => ({
    model,
    messages,
    tools: [orderStatusTool],
    max_tokens: maxTokens,
  });
  narrator.line(`"${question}" (model ${model}, tool ${orderStatusTool.function.name})`);
  const first = await buy(client, ask(), signal);
  const { message } = first.choice;
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) throw new Error(`The model called no tool and answered: ${message.content}`);

  narrator.chapter('Run the tool that the model calls');
  messages.push(message);
  for (const call of calls) {
    const result = runOrderStatus(call);
    narrator.line(`${call.function.name}(${call.function.arguments}) = ${result}`);
    messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  }

  narrator.chapter('Send the result and buy the final completion');
  const second = await buy(client, ask(), signal);
  const { content } = second.choice.message;
  if (content === null || content === '') throw new Error('The final completion is empty');
  narrator.line(`"${content}"`);
  return [first.purchase, second.purchase];
}

type Bought = { readonly choice: ChatCompletion['choices'][number]; readonly purchase: Purchase };

async function buy(client: Client, body: ChatCompletionRequest, signal: AbortSignal): Promise<Bought> {
  const result = await client.chat(body, { signal });
  if (result.kind !== 'completion') throw new Error(`The gateway returned no completion: ${result.message}`);
  if (result.payment.state !== 'settled')
    throw new Error(`The payment is not settled: ${result.receiptFault ?? 'the gateway asked for none'}`);
  const [choice] = result.completion.choices;
  if (choice === undefined) throw new Error('The completion has no choices');
  return { choice, purchase: result.payment };
}

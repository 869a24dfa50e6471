import type { ChatCompletion, ChatCompletionRequest, Message } from '@paid-inference/contract/types';
import type { Client } from '../client.ts';
import type { Purchase } from './chain-check.ts';
import type { Narrator } from './narrator.ts';
import { orderStatusTool, question, runOrderStatus } from './order-tool.ts';

const maxTokens = 200;

/**
 * One chat completion with a tool, which is two purchases: the model calls the tool, the tool runs here, and the model
 * answers with its result (contract §3, "Tool-call conversation"). Rejects when anything goes otherwise.
 */
export async function buyWithTool(
  client: Client,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<Purchase[]> {
  narrator.chapter('A question, a tool, and a price');
  const catalog = await client.models({ signal });
  if (catalog.kind !== 'models') throw new Error(`no models: ${catalog.message}`);
  const model = catalog.models[0]?.id;
  if (model === undefined) throw new Error('the catalog is empty');
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
  if (calls.length === 0) throw new Error(`the model called no tool but said: ${message.content}`);

  narrator.chapter('The model calls the tool, which runs here');
  messages.push(message);
  for (const call of calls) {
    const result = runOrderStatus(call);
    narrator.line(`${call.function.name}(${call.function.arguments}) = ${result}`);
    messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  }

  narrator.chapter('The result goes back, and the answer is bought');
  const second = await buy(client, ask(), signal);
  const { content } = second.choice.message;
  if (content === null || content === '') throw new Error('the model answered nothing');
  narrator.line(`"${content}"`);
  return [first.purchase, second.purchase];
}

type Bought = { readonly choice: ChatCompletion['choices'][number]; readonly purchase: Purchase };

async function buy(client: Client, body: ChatCompletionRequest, signal: AbortSignal): Promise<Bought> {
  const result = await client.chat(body, { signal });
  if (result.kind !== 'completion') throw new Error(`no completion: ${result.message}`);
  if (result.payment.state !== 'settled')
    throw new Error(`not settled: ${result.receiptFault ?? 'nothing was asked for'}`);
  const [choice] = result.completion.choices;
  if (choice === undefined) throw new Error('the completion is empty');
  return { choice, purchase: result.payment };
}

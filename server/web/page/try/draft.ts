import type {
  ChatCompletionRequest,
  Message,
  SettlementType,
  ToolDefinition,
} from '@paid-inference/contract/types';

/** The request as the visitor edits it. */
export type Draft = {
  readonly model: string;
  /** The conversation so far, with the completions that were bought. */
  readonly messages: readonly Message[];
  /** The next message of the visitor. */
  readonly message: string;
  readonly maxTokens: number;
  readonly settlementType: SettlementType;
  readonly hasTool: boolean;
  /** The JSON of the tool. */
  readonly tool: string;
};

const exampleTool: ToolDefinition = {
  type: 'function',
  function: {
    name: 'order_status',
    description: 'Looks up the status of an order by its number',
    parameters: {
      type: 'object',
      properties: { order_id: { type: 'string', description: 'The number of the order, such as A-1041' } },
      required: ['order_id'],
    },
  },
};

export function newDraft(model: string): Draft {
  return {
    model,
    messages: [],
    message: 'What is the status of order A-1042?',
    maxTokens: 200,
    settlementType: 'batch',
    hasTool: false,
    tool: JSON.stringify(exampleTool, null, 2),
  };
}

export type Read =
  | { readonly ok: true; readonly body: ChatCompletionRequest }
  | { readonly ok: false; readonly message: string };

/** The body of the request, or the first fault of the form. */
export function readDraft({ model, messages, message, maxTokens, hasTool, tool }: Draft): Read {
  if (message.trim() === '' && messages.at(-1)?.role !== 'tool')
    return { ok: false, message: 'Write a message first.' };
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    return { ok: false, message: 'The completion needs at least one token.' };
  const tools = hasTool ? readTool(tool) : [];
  if (tools === null) return { ok: false, message: 'The definition of the tool is not JSON.' };
  const next: readonly Message[] =
    message.trim() === '' ? messages : [...messages, { role: 'user', content: message }];
  return {
    ok: true,
    body: { model, messages: next, max_tokens: maxTokens, ...(tools.length > 0 && { tools }) },
  };
}

function readTool(text: string): readonly ToolDefinition[] | null {
  try {
    return [JSON.parse(text)];
  } catch {
    return null;
  }
}

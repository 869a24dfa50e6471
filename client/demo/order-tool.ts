import type { ToolCall, ToolDefinition } from '@paid-inference/contract/types';

/** The definition of the tool for the model. */
export const orderStatusTool: ToolDefinition = {
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

export const question = 'What is the status of order A-1042?';

const orders: Readonly<Record<string, object>> = {
  'A-1041': { status: 'delivered' },
  'A-1042': { status: 'shipped', carrier: 'bicycle', arrives: 'on Friday' },
};

/** The tool, which runs in this process. The result is JSON in a string (contract §2.2). */
export function runOrderStatus({ function: { name, arguments: given } }: ToolCall): string {
  if (name !== orderStatusTool.function.name) return JSON.stringify({ error: `unknown tool ${name}` });
  try {
    const order = orders[String(JSON.parse(given).order_id)];
    return JSON.stringify(order ?? { error: 'unknown order' });
  } catch {
    return JSON.stringify({ error: 'the arguments are not JSON' });
  }
}

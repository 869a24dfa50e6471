import type { Edge } from '../edge.ts';
import type { Reply } from '../message.ts';

/** A gateway that makes another choice where the contract allows one. The suite must not fail it. */
export type LegalVariant = {
  readonly id: string;
  /** Describes the gateway: third person present, without a subject. */
  readonly does: string;
  /** The words of the contract that allow the choice. */
  readonly open: string;
  /** Creates a new edge for each run. */
  readonly edge: () => Edge;
  /** The reason why a run against it is incomplete. */
  readonly hides?: string;
  /** The gateway lists no models, so the run must name one. */
  readonly listsNoModels?: true;
};

export function variant(id: string, does: string, open: string, edge: Edge): LegalVariant {
  return { id, does, open, edge: () => edge };
}

/** Adds a header, so that the transcript shows a change that it would not show otherwise. */
export function marked(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, 'X-Note': 'otherwise' } };
}

/** Sentences of the contract that allow several choices. */
export const open = {
  anyClient: 'Any HTTP client can use the service.',
  bodies: 'All request and response bodies are JSON.',
  newVersions: 'Deprecation policy and rules for introducing new versions: not shown.',
  requireBody: 'Content of the 402 body: not shown.',
  otherStatuses:
    'Status codes and error codes for other conditions (unknown model, oversized request, upstream failure): not shown.',
  message: '| `error.message` | string |',
  finishReason: 'Observed `finish_reason` values: `stop`, `tool_calls`. Other values: not shown.',
  otherEndpoints: 'Other endpoints (model listing, health, streaming variants): not shown.',
  noValidPayment:
    'Payment required: the request carries no valid payment; requirements are in `X-PAYMENT-REQUIRED`',
  nonce:
    'Rules on nonce reuse, on the maximum length of the validity window, and on any other authentication scheme: not shown.',
  resource: '| `resource` | string | Full URL of the requested endpoint |',
  price: 'Price per request and how `maxAmountRequired` is computed: not shown.',
  validity: '| `maxTimeoutSeconds` | integer | Seconds the payment offer stays valid |',
  value: 'token smallest unit; at most `maxAmountRequired`',
  usage: '| `usage` | object | `prompt_tokens`, `completion_tokens`, `total_tokens` (integers) |',
  model: '| `model` | string | Model identifier |',
  id: '| `id` | string | Completion id |',
  created: '| `created` | integer | Unix time in seconds |',
  callId: '| `id` | string | Id of the call |',
  choices: '| `choices` | array | Each entry: `index` (integer), `message`',
  content: '`content` is a string, or null when tool calls are returned;',
  arguments: '| `function.arguments` | string | Arguments serialized as a JSON string |',
  address: '| `payTo` | string | Recipient address, <recipient_address> |',
  base64: '`X-PAYMENT-REQUIRED` header carries the base64 requirements',
  acceptable: 'Body acceptable',
  balance:
    '| Unpaid | Request with `X-PAYMENT` | Balance insufficient | HTTP 402, code `insufficient_funds` | None shown |',
  settlementType: '- `X-SETTLEMENT-TYPE`: optional, `private`, `individual` or `batch`.',
  description: '| `description` | string | Human-readable purpose of the payment |',
  stop: '| `stop` | array | no | Stop sequences |',
  name: '| `name` | string | no | Name of the participant |',
  tools: '| `tools` | array of tool definitions | no | Tools the model may call |',
  toolCalls: '| `tool_calls` | array of tool call objects | no | Only on assistant messages |',
  toolChoice: 'Shape of the specific-tool value: not shown.',
  toolCallId:
    '| `tool_call_id` | string | required on `tool` messages | The id of the tool call being answered |',
  contentBesideCalls: 'yes, except on an assistant message that carries `tool_calls`',
  functionDescription: '| `function.description` | string | Description of the function |',
  parameters: '| `function.parameters` | object | JSON-Schema-style object',
  maxTokens: 'Upper bounds for `max_tokens`, message count and body size: not shown.',
  rateLimit: 'A rate limit exists (HTTP 429). Its thresholds, window and headers: not shown.',
} as const;

type Loose = Readonly<Record<string, unknown>>;

/**
 * The first fault of a request body; undefined if the body is valid. The rules are written by hand from
 * contract 2.1 to 2.5, so they check the validators of the suite independently.
 */
export function bodyFault(
  endpoint: 'chat' | 'completions',
  body: unknown,
  catalog: readonly string[],
): string | undefined {
  if (!isObject(body)) return 'the body is not an object';
  if (typeof body['model'] !== 'string') return 'model is not a string';
  if (!catalog.includes(body['model'])) return 'model is not in the catalog';
  return samplingFault(body) ?? (endpoint === 'chat' ? chatFault(body) : promptFault(body));
}

function samplingFault({ max_tokens: tokens, temperature, stop }: Loose): string | undefined {
  if (tokens !== undefined && !(Number.isInteger(tokens) && Number(tokens) > 0)) {
    return 'max_tokens is not a positive integer';
  }
  if (
    temperature !== undefined &&
    !(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)
  ) {
    return 'temperature is not a number from 0 to 2';
  }
  return stop === undefined || Array.isArray(stop) ? undefined : 'stop is not an array';
}

function promptFault({ prompt }: Loose): string | undefined {
  return typeof prompt === 'string' ? undefined : 'prompt is not a string';
}

function chatFault({ messages, tools, tool_choice: choice }: Loose): string | undefined {
  if (!Array.isArray(messages)) return 'messages is not an array';
  if (choice !== undefined && typeof choice !== 'string' && !isObject(choice))
    return 'tool_choice is neither a string nor an object';
  if (tools !== undefined && !Array.isArray(tools)) return 'tools is not an array';
  return findFirst(messages, messageFault) ?? findFirst(Array.isArray(tools) ? tools : [], toolFault);
}

function messageFault(message: unknown): string | undefined {
  if (!isObject(message)) return 'a message is not an object';
  const { role, content, name, tool_calls: calls, tool_call_id: callId } = message;
  if (typeof role !== 'string' || !['system', 'user', 'assistant', 'tool'].includes(role)) {
    return 'role is unknown';
  }
  if (name !== undefined && typeof name !== 'string') return 'name is not a string';
  if (role === 'tool' && typeof callId !== 'string') return 'a tool message has no tool_call_id';
  if (calls !== undefined && role !== 'assistant') return 'tool_calls is outside an assistant message';
  const hasCalls = calls !== undefined && !(Array.isArray(calls) && calls.length === 0);
  if (!hasCalls) return typeof content === 'string' ? undefined : 'content is not a string';
  if (content !== undefined && content !== null && typeof content !== 'string')
    return 'content beside tool_calls is neither null nor a string';
  return Array.isArray(calls) ? findFirst(calls, callFault) : 'tool_calls is not an array';
}

function callFault(call: unknown): string | undefined {
  const described = isObject(call) ? call['function'] : undefined;
  if (
    !isObject(call) ||
    typeof call['id'] !== 'string' ||
    call['type'] !== 'function' ||
    !isObject(described)
  ) {
    return 'a tool call lacks id, type or function';
  }
  if (typeof described['name'] !== 'string') return 'a tool call has no function.name';
  return typeof described['arguments'] === 'string' ? undefined : 'function.arguments is not a string';
}

function toolFault(tool: unknown): string | undefined {
  const described = isObject(tool) ? tool['function'] : undefined;
  if (!isObject(tool) || tool['type'] !== 'function' || !isObject(described))
    return 'a tool lacks the type function or its function';
  const { name, description, parameters } = described;
  if (typeof name !== 'string') return 'a tool has no function.name';
  if (description !== undefined && typeof description !== 'string') return 'description is not a string';
  return parameters === undefined || isObject(parameters) ? undefined : 'parameters is not an object';
}

function findFirst(
  values: readonly unknown[],
  fault: (value: unknown) => string | undefined,
): string | undefined {
  return values.map(fault).find((text) => text !== undefined);
}

export function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { ChatTask } from '../engine.ts';
import type { HistoryCall, HistoryItem } from './library.ts';

/**
 * Writes the messages as a history of node-llama-cpp. There the completion, its calls, their results and the text after
 * them are one item, so assistant and tool messages in a row are joined. The last item is the one that the model
 * continues. A result without a call gets a call of its own (D-96).
 */
export function writeHistory(messages: ChatTask['messages']): HistoryItem[] {
  const history: HistoryItem[] = [];
  const calls = new Map<string, HistoryCall>();
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'user':
        history.push({ type: message.role, text: message.content });
        break;
      case 'assistant':
        if (message.content) openResponse(history).push(message.content);
        for (const [index, { id, function: called }] of (message.tool_calls ?? []).entries()) {
          const call = writeCall(called.name, readJson(called.arguments), index === 0);
          calls.set(id, call);
          openResponse(history).push(call);
        }
        break;
      case 'tool': {
        const known = calls.get(message.tool_call_id);
        const call = known ?? writeCall(message.name ?? 'tool', undefined, true);
        call.result = readJson(message.content);
        if (known === undefined) openResponse(history).push(call);
      }
    }
  }
  openResponse(history);
  return history;
}

function openResponse(history: HistoryItem[]): (string | HistoryCall)[] {
  const last = history.at(-1);
  if (last?.type === 'model') return last.response;
  const response: (string | HistoryCall)[] = [];
  history.push({ type: 'model', response });
  return response;
}

function writeCall(name: string, params: unknown, startsNewChunk: boolean): HistoryCall {
  return { type: 'functionCall', name, params, result: undefined, startsNewChunk };
}

/** Arguments and results are JSON as a rule. Another text stands for itself. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

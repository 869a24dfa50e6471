import type { ChatTask } from '../engine.ts';

/** A chat in the form that the rules of this engine need. */
export type Conversation = {
  /** The text of the system messages; '' without one. */
  readonly instruction: string;
  /** The last user message; '' without one. */
  readonly question: string;
  /** The messages of user and assistant before the question, oldest first. */
  readonly earlier: readonly { readonly speaker: 'user' | 'assistant'; readonly text: string }[];
  /** The tool results at the end of the conversation. */
  readonly results: readonly ToolResult[];
  /** True when the question is the last message, so that there is no completion or call for it yet. */
  readonly isOpen: boolean;
};

/** `name` is the tool of the call with the result's id; null when there is no such call. */
export type ToolResult = { readonly name: string | null; readonly content: string };

export function readConversation(messages: ChatTask['messages']): Conversation {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const question = messages[asked]?.content ?? '';
  const earlier = messages.slice(0, Math.max(asked, 0)).flatMap(({ role, content }) => {
    if ((role !== 'user' && role !== 'assistant') || typeof content !== 'string' || content === '') return [];
    return [{ speaker: role, text: content }];
  });
  return {
    instruction: messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n'),
    question,
    earlier,
    results: readResults(messages),
    isOpen: asked !== -1 && asked === messages.length - 1,
  };
}

function readResults(messages: ChatTask['messages']): readonly ToolResult[] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  const names = new Map<string, string>();
  for (const message of messages.slice(0, last + 1)) {
    if (message.role !== 'assistant') continue;
    for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
  }
  return messages.slice(last + 1).flatMap((message) => {
    if (message.role !== 'tool') return [];
    return [{ name: names.get(message.tool_call_id) ?? null, content: message.content }];
  });
}

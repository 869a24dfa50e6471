import type { ToolCall, ToolDefinition } from '@paid-inference/contract/types';
import type { ChatTask } from '../engine.ts';
import { countToolCallTokens } from '../usage.ts';
import { takeTurn } from '../work-turns.ts';
import { fittingTool, nearestTool } from './choose-tool.ts';
import type { Conversation } from './conversation.ts';
import { findFacts } from './facts.ts';
import { fillArguments } from './fill.ts';
import type { Wording } from './wording.ts';

/** A call and its tokens, or why there is none although one was wanted. */
export type CallAttempt =
  | { readonly kind: 'call'; readonly call: ToolCall; readonly tokens: number }
  | { readonly kind: 'too-long' | 'unsatisfiable'; readonly name: string };

/**
 * Chooses the tool to call. `auto` chooses by the last user message, and none once the message or its tool has
 * been answered. `specific` and `required` call a tool in any case, also after a tool result.
 */
export async function toolToCall(
  task: ChatTask,
  { question, isOpen }: Conversation,
  signal: AbortSignal,
): Promise<ToolDefinition | null> {
  const { tools, toolChoice } = task;
  switch (toolChoice.mode) {
    case 'none':
      return null;
    case 'auto':
      return isOpen ? fittingTool(tools, question, signal) : null;
    case 'required':
      return nearestTool(tools, question, signal);
    case 'specific':
      return tools.find((tool) => tool.function.name === toolChoice.name) ?? null;
  }
}

/**
 * Makes a call of the tool within `maxTokens`. Arguments are always complete: optional ones are omitted first,
 * and when the required ones are still too long, there is no call.
 */
export async function attemptCall(
  { function: { name, parameters } }: ToolDefinition,
  { question }: Conversation,
  {
    maxTokens,
    wording,
    signal,
  }: {
    readonly maxTokens: number;
    readonly wording: Wording;
    readonly signal: AbortSignal;
  },
): Promise<CallAttempt> {
  const facts = await takeTurn(signal, () => findFacts(question));
  const id = wording.callId();
  for (const isTerse of [false, true]) {
    // Each attempt has its own budget, and other work runs in between.
    const filled = await takeTurn(signal, () => fillArguments(parameters, facts, isTerse));
    if (filled === undefined) return { kind: 'unsatisfiable', name };
    const call: ToolCall = { id, type: 'function', function: { name, arguments: JSON.stringify(filled) } };
    const tokens = await countToolCallTokens([call], signal);
    if (tokens <= maxTokens) return { kind: 'call', call, tokens };
  }
  return { kind: 'too-long', name };
}

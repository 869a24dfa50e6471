import type { ToolCall, ToolDefinition } from '@paid-inference/contract/types';
import type { ChatTask } from '../engine.ts';
import { countToolCallTokens } from '../usage.ts';
import { takeTurn } from '../work-turns.ts';
import { fittingTool, nearestTool } from './choose-tool.ts';
import type { Conversation } from './conversation.ts';
import { factsOf } from './facts.ts';
import { fillArguments } from './fill.ts';
import type { Wording } from './wording.ts';

/** A call with what it costs, or why there is none though one was to be made. */
export type CallAttempt =
  | { readonly kind: 'call'; readonly call: ToolCall; readonly tokens: number }
  | { readonly kind: 'too-long' | 'unsatisfiable'; readonly name: string };

/**
 * The tool to call, by the caller's choice: `auto` leaves it to what the last user message is about, and calls nothing
 * once the message was answered or its tool has answered. `specific` and `required` call in any case, as they do
 * everywhere, also behind a tool result.
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
 * A call of the tool within `maxTokens`. Arguments are whole or there is no call: those that the user only mentioned
 * are left out first, and if even the required ones are too long, so is the call.
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
  const facts = await takeTurn(() => factsOf(question));
  const id = wording.callId();
  for (const isTerse of [false, true]) {
    // Each attempt has a budget of its own, and others have their turn in between.
    const filled = await takeTurn(() => fillArguments(parameters, facts, isTerse));
    signal.throwIfAborted();
    if (filled === undefined) return { kind: 'unsatisfiable', name };
    const call: ToolCall = { id, type: 'function', function: { name, arguments: JSON.stringify(filled) } };
    const tokens = await countToolCallTokens([call], signal);
    if (tokens <= maxTokens) return { kind: 'call', call, tokens };
  }
  return { kind: 'too-long', name };
}

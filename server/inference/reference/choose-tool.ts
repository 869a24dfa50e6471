import type { ToolDefinition } from '@paid-inference/contract/types';
import { takeTurn } from '../work-turns.ts';
import { isRecord } from './search.ts';
import { splitWords, tellingWords } from './words.ts';

/** The weight of a word of the message that occurs in the tool's name, its parameters, or its description. */
const weights = { name: 3, parameter: 2, description: 1 };
/** The least score of a call: one word of the name, or several of the rest. */
const scoreMin = 3;
/** The most characters that are read of a message or a description, and of all the words of one tool. */
const charactersMax = 4_000;
const charactersOfToolMax = 32_000;
/** The cost of a property in addition to its words. */
const charactersOfProperty = 16;

/** The tool that fits a message best, the earlier one on a tie; null when none fits well enough. */
export async function fittingTool(
  tools: readonly ToolDefinition[],
  message: string,
  signal: AbortSignal,
): Promise<ToolDefinition | null> {
  const [best] = await ranked(tools, message, signal);
  return best !== undefined && best.score >= scoreMin ? best.tool : null;
}

/** The tool that fits a message best, even when none fits well; null without tools. */
export async function nearestTool(
  tools: readonly ToolDefinition[],
  message: string,
  signal: AbortSignal,
): Promise<ToolDefinition | null> {
  const [best] = await ranked(tools, message, signal);
  return best?.tool ?? null;
}

/** Ranks the tools. Gives way to other work between tools; throws the signal's reason once it is aborted. */
async function ranked(tools: readonly ToolDefinition[], message: string, signal: AbortSignal) {
  const head = message.slice(0, charactersMax);
  const words = new Set(tellingWords(head));
  const scored: { readonly tool: ToolDefinition; readonly score: number }[] = [];
  for (const tool of tools) {
    const score = await takeTurn(signal, () => scoreTool(tool, words, head));
    scored.push({ tool, score });
  }
  return scored.toSorted((a, b) => b.score - a.score);
}

/** Sums the weights of the message's words, each at the place in the tool with the greatest weight. */
function scoreTool({ function: tool }: ToolDefinition, words: ReadonlySet<string>, message: string): number {
  // A tool's full name in the message means the tool, unless the name is an everyday word.
  const isNamed = tool.name.includes('_') && message.includes(tool.name);
  const inName = new Set(tellingWords(tool.name));
  const inDescription = new Set(tellingWords((tool.description ?? '').slice(0, charactersMax)));
  const inParameters = new Set<string>();
  let unread = charactersOfToolMax;
  for (const [name, schema] of Object.entries(tool.parameters?.properties ?? {})) {
    for (const word of tellingWords(name.slice(0, unread))) inParameters.add(word);
    unread -= name.length + charactersOfProperty;
    if (unread <= 0) break;
    const description = isRecord(schema) ? schema['description'] : undefined;
    if (typeof description !== 'string') continue;
    const read = description.slice(0, Math.min(charactersMax, unread));
    for (const word of tellingWords(read)) inDescription.add(word);
    unread -= read.length;
    if (unread <= 0) break;
  }
  let score = isNamed ? 2 * scoreMin * splitWords(tool.name).length : 0;
  for (const word of words) {
    if (inName.has(word)) score += weights.name;
    else if (inParameters.has(word)) score += weights.parameter;
    else if (inDescription.has(word)) score += weights.description;
  }
  return score;
}

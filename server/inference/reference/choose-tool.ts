import type { ToolDefinition } from '@paid-inference/contract/types';
import { isRecord } from './schema.ts';
import { tellingWords, wordsOf } from './words.ts';

/** What a word of the message counts for when it stands in the tool's name, in its parameters, in its description. */
const weights = { name: 3, parameter: 2, description: 1 };
/** A call is made from here on: for one word of the name, or for several of the rest. */
const scoreMin = 3;
/** What is read of a message and of a description; the rest would only cost time. */
const charactersMax = 4_000;

/** The tool that fits a message best, the earlier one where two fit alike; null where none fits well enough. */
export function fittingTool(tools: readonly ToolDefinition[], message: string): ToolDefinition | null {
  const [best] = ranked(tools, message);
  return best !== undefined && best.score >= scoreMin ? best.tool : null;
}

/** The tool that fits a message least badly, for a caller who wants one called in any case; null without tools. */
export function nearestTool(tools: readonly ToolDefinition[], message: string): ToolDefinition | null {
  return ranked(tools, message)[0]?.tool ?? null;
}

function ranked(tools: readonly ToolDefinition[], message: string) {
  const head = message.slice(0, charactersMax);
  const words = new Set(tellingWords(head));
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words, head) }))
    .toSorted((a, b) => b.score - a.score);
}

/** The weights of the message's words, each by the place of the tool where it weighs most. */
function scoreOf({ function: tool }: ToolDefinition, words: ReadonlySet<string>, message: string): number {
  // Whoever writes a tool's name out as it is means that tool, unless the name is an everyday word.
  const isNamed = tool.name.includes('_') && message.includes(tool.name);
  const inName = new Set(tellingWords(tool.name));
  const inDescription = new Set(tellingWords((tool.description ?? '').slice(0, charactersMax)));
  const inParameters = new Set<string>();
  for (const [name, schema] of Object.entries(tool.parameters?.properties ?? {})) {
    for (const word of tellingWords(name)) inParameters.add(word);
    const description = isRecord(schema) ? schema['description'] : undefined;
    if (typeof description !== 'string') continue;
    for (const word of tellingWords(description.slice(0, charactersMax))) inDescription.add(word);
  }
  let score = isNamed ? 2 * scoreMin * wordsOf(tool.name).length : 0;
  for (const word of words) {
    if (inName.has(word)) score += weights.name;
    else if (inParameters.has(word)) score += weights.parameter;
    else if (inDescription.has(word)) score += weights.description;
  }
  return score;
}

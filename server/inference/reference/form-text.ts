import type { ChatTask } from '../engine.ts';
import { countTokens } from '../tokens.ts';
import { takeTurn } from '../work-turns.ts';
import type { Conversation } from './conversation.ts';
import { findFacts } from './facts.ts';
import { fillArguments } from './fill.ts';

/**
 * Writes a completion in the form of the request (D-265): unchanged; as a member of a JSON object; or as JSON that
 * satisfies a schema, whose optional members are omitted if they do not fit in `maxTokens`. Null when no such JSON
 * is found.
 */
export async function formText(
  completion: string,
  { fields: { response_format: format }, maxTokens }: ChatTask,
  { question }: Conversation,
  signal: AbortSignal,
): Promise<string | null> {
  if (format === undefined) return completion;
  const schema = format.json_schema?.schema;
  if (format.type !== 'json_schema' || schema === undefined) return JSON.stringify({ completion });
  const facts = await takeTurn(signal, () => findFacts(question));
  const whole = await takeTurn(signal, () => fillArguments(schema, facts, false));
  const written = whole === undefined ? null : JSON.stringify(whole);
  if (written !== null && (await countTokens([written], signal)) <= maxTokens) return written;
  const terse = await takeTurn(signal, () => fillArguments(schema, facts, true));
  return terse === undefined ? written : JSON.stringify(terse);
}

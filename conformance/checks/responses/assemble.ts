import { type Found, found, missing } from '../../types/found.ts';
import { isObject, type JsonObject, member } from '../../wire/base64-json.ts';
import { jsonText } from '../../wire/json-text.ts';

type Choice = { readonly index: unknown; text: string; role: unknown; finish: unknown };

/** The object names of chunks and of the completion that they make. */
const objects: Readonly<Record<string, string>> = {
  'chat.completion.chunk': 'chat.completion',
  text_completion: 'text_completion',
};

/**
 * Puts the chunks of one completion together, as OpenAI's clients do, without tool calls. The result is not checked. Some
 * engines write other chunks with neither choices nor usage, as the result of a filter; these count for nothing.
 */
export function assemble(all: readonly JsonObject[]): Found<JsonObject> {
  const chunks = all.filter(({ choices, usage }) => !isEmptyList(choices) || isObject(usage));
  const [first] = chunks;
  if (first === undefined) return missing('no chunk');
  const { id, created, model, object } = first;
  const other = chunks.find((chunk) => chunk['id'] !== id || chunk['object'] !== object);
  if (other !== undefined) return missing('chunks with another `id` or `object`');
  if (typeof object !== 'string' || !Object.hasOwn(objects, object)) return missing(`the object ${object}`);
  const choices = new Map<unknown, Choice>();
  for (const part of chunks.flatMap(({ choices: parts }) => (Array.isArray(parts) ? parts : []))) {
    const index = member(part, 'index');
    const choice = choices.get(index) ?? { index, text: '', role: undefined, finish: undefined };
    choices.set(index, choice);
    const delta = object === 'text_completion' ? undefined : member(part, 'delta');
    const text = (delta === undefined ? member(part, 'text') : member(delta, 'content')) ?? '';
    if (typeof text !== 'string') return missing(`a chunk with the text ${jsonText(text)}`);
    if (text !== '' && choice.finish !== undefined) return missing('a text after its `finish_reason`');
    choice.text += text;
    choice.role ??= member(delta, 'role');
    // Some engines write an empty reason instead of null.
    choice.finish = member(part, 'finish_reason') || choice.finish;
  }
  const usage = chunks.map((chunk) => chunk['usage']).findLast(isObject);
  return found({
    id,
    created,
    model,
    object: objects[object],
    choices: [...choices.values()].map((each) => endChoice(each, object)),
    ...(usage && { usage }),
  });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function endChoice({ index, text, role, finish }: Choice, object: string): JsonObject {
  const end = { index, finish_reason: finish };
  return object === 'text_completion' ? { ...end, text } : { ...end, message: { role, content: text } };
}

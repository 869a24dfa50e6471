import { extensionFields } from '@paid-inference/contract/constants';
import type { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/types';
import type { InvalidRequest } from '../http/param.ts';
import type { Engine, EngineField, EngineFields } from '../inference/engine.ts';
import { fail, ok, type Result } from '../types/result.ts';

/** The fields of OpenAI clients in a chat. Leaves out values that ask for what a gateway does without the field. */
export function readChatFields(body: ChatCompletionRequest): EngineFields {
  const { response_format: format, parallel_tool_calls: parallel, ...rest } = body;
  const limitsCalls = parallel === false && (body.tools ?? []).length > 0;
  return {
    ...readTextFields(rest),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
    ...(format !== undefined && format.type !== 'text' && { response_format: format }),
    ...(limitsCalls && { parallel_tool_calls: false }),
  };
}

/** The same in a text request. */
export function readTextFields(body: Omit<CompletionRequest, 'prompt'>): EngineFields {
  const { max_completion_tokens: _, stream: __, stream_options: ___, ...fields } = body;
  const sent = extensionFields.CompletionRequest.filter(
    (name): name is keyof EngineFields & keyof typeof fields => Object.hasOwn(fields, name),
  );
  return Object.fromEntries(sent.map((name) => [name, fields[name]]));
}

/** Fields that change the product. An engine that does not know them must not run the request (D-265). */
const binding: ReadonlySet<string> = new Set<EngineField>(['response_format', 'parallel_tool_calls']);

/** The fields of a task that its engine ignores. The fault names one that must not be ignored. */
export function findIgnoredFields(
  fields: EngineFields,
  { honours = [] }: Pick<Engine, 'honours'>,
): Result<readonly string[], InvalidRequest> {
  const unknown = Object.keys(fields).filter((name) => !honours.includes(name as EngineField));
  const refused = unknown.find((name) => binding.has(name));
  if (refused === undefined) return ok(unknown);
  return fail({
    param: refused,
    message: `The engine of this model does not know ${refused}; leave it out.`,
  });
}

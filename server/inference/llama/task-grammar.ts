import { randomUUID } from 'node:crypto';
import type { ToolCall, ToolDefinition } from '@paid-inference/contract/types';
import { fail, ok, type Result } from '../../types/result.ts';
import type { ChatTask } from '../engine.ts';
import { mayCall } from '../stream.ts';
import { alternatives, createGrammarRules, GrammarFault, type GrammarRules, literal } from './gbnf.ts';
import { writeSchema } from './schema-grammar.ts';

/** The text of a call in the format of a chat template: the prefix, a name, the text before the arguments, and these. */
export type CallFormat = {
  readonly prefix: string;
  /** The beginning of the prefix that is in no other text. */
  readonly trigger: string;
  readonly beforeArguments: string;
};

/** The form that a completion must have. */
export type Form =
  /** JSON of this schema. */
  | { readonly kind: 'json'; readonly schema: unknown }
  /** This text, and a call of one of these tools. */
  | { readonly kind: 'call'; readonly tools: readonly ToolDefinition[]; readonly start: string };

/** The forms that a task requires; none if the completion may be any text, or a text or a call. */
export function listForms(task: ChatTask, start: string): readonly Form[] {
  const { toolChoice, tools, fields } = task;
  const { type = 'text', json_schema: described } = fields.response_format ?? {};
  const json = { kind: 'json', schema: described?.schema ?? { type: 'object' } } as const;
  switch (toolChoice.mode) {
    case 'specific':
      return [{ kind: 'call', start, tools: tools.filter((each) => each.function.name === toolChoice.name) }];
    case 'required':
      return [{ kind: 'call', start, tools }];
    default:
      if (type === 'text') return [];
      return mayCall(task) ? [json, { kind: 'call', start, tools }] : [json];
  }
}

/** Writes the grammar of a completion that has one of these forms. The fault names a rule, never the schema. */
export function writeTaskGrammar(forms: readonly Form[], beforeArguments: string): Result<string, string> {
  try {
    const rules = createGrammarRules();
    return ok(rules.write(alternatives(forms.map((form) => writeForm(form, beforeArguments, rules)))));
  } catch (cause) {
    if (cause instanceof GrammarFault) return fail(cause.message);
    throw cause;
  }
}

function writeForm(form: Form, beforeArguments: string, rules: GrammarRules): string {
  if (form.kind === 'json') return rules.add(writeSchema(form.schema, rules));
  const calls = form.tools.map(({ function: { name, parameters } }) =>
    rules.add(`${literal(name + beforeArguments)} ${writeSchema(parameters ?? noParameters, rules)}`),
  );
  return rules.add(`${literal(form.start)} ${alternatives(calls)}`);
}

/** A tool without parameters gets an empty object. */
const noParameters = { type: 'object', additionalProperties: false };

/** Reads a call that follows the grammar, behind its start. Null for one that was cut off. */
export function readCall(
  written: string,
  tools: readonly ToolDefinition[],
  beforeArguments: string,
): ToolCall | null {
  for (const { function: called } of tools) {
    const start = called.name + beforeArguments;
    const given = written.slice(start.length).trim();
    if (written.startsWith(start) && isJson(given))
      return {
        id: `call_${randomUUID()}`,
        type: 'function',
        function: { name: called.name, arguments: given },
      };
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

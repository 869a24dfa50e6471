import type { Mutant } from '../mutant.ts';
import { type Failing, failsOn } from './lawful-bodies.ts';

const containing = (id: string, what: string, part: RegExp): Failing => [
  id,
  what,
  ({ text }) => part.test(text),
];

const failing: readonly Failing[] = [
  containing('references', '`$ref` in a parameter', /"\$ref":/),
  containing('parameters-of-one-of', '`oneOf` in a parameter', /"oneOf":/),
  containing('parameters-of-all-of', '`allOf` in a parameter', /"allOf":/),
  containing('constants', '`const` in a parameter', /"const":/),
  containing('defaults-of-null', 'null as the default of a parameter', /"default":null/),
  containing('arrays-without-items', 'an array without `items` as a parameter', /\{"type":"array"\}/),
  containing('free-objects', 'an object without `properties` as a parameter', /"route":\{"type":"object"\}/),
  containing('empty-schemas', 'a parameter without members', /"empty":\{\}/),
  containing('strict-tools', 'a strict tool', /"name":"get-weather-9".*"strict":true/),
  containing('schemas-of-responses', 'a JSON schema as `response_format`', /"type":"json_schema"/),
  containing('biases', 'a bias of a token', /"logit_bias":\{"/),
  containing('several-completions', '`n` 2', /"n":2[,}]/),
  containing('log-probabilities', '`logprobs` true or 5', /"logprobs":(true|5)/),
  containing('voices', 'a voice as a modality', /"modalities":\["text","audio"\]/),
  containing('best-of-two', '`best_of` 2', /"best_of":2/),
  containing('properties-named-type', 'a parameter with the name `type`', /"type":\{"type":/),
  containing('titles', '`title` in a parameter', /"title":"Count"/),
  containing(
    'objects-of-no-properties',
    'an empty `properties`',
    /"form":\{"type":"object","properties":\{\}/,
  ),
  containing('many-tools', 'more than six tools', /"name":"tool_4"/),
  containing(
    'long-descriptions',
    'a description of more than 1,000 characters',
    /(Tells the weather\. ){55}/,
  ),
  containing('chats-with-prompt', 'a `prompt` in a chat', /"messages":.*"prompt":"Say pong/),
  containing('streams-in-quotes', 'the text "true" as `stream`', /"stream":"true"/),
  containing('texts-with-tools', '`tools` in a text completion', /"prompt":"One[^"]*".*"tools":\[/),
  containing(
    'choices-of-no-function',
    'a `tool_choice` without its function',
    /"tool_choice":\{"type":"function"\}/,
  ),
  containing('choices-of-type-auto', 'a `tool_choice` of the type `auto`', /"tool_choice":\{"type":"auto"\}/),
  containing('names-with-dots', 'a tool whose name has a dot', /"name":"\w+\.\w/),
  containing(
    'names-of-two-tools',
    'two tools of one name',
    /\{"name":("[^"]+"),"description".*\{"name":\1,"description"/,
  ),
  containing('null-options', 'null as `stream`', /"stream":null/),
  containing('null-users', 'null as `user`', /"user":null/),
  containing('refusals', 'null as `refusal` in a message', /"refusal":null/),
  containing('indexes-of-calls', 'an `index` of a tool call', /"tool_calls":\[\{"index":/),
  containing(
    'calls-of-other-tools',
    'a call of a tool that `tools` lacks',
    /"name":"get_time","arguments":"null"/,
  ),
  containing('texts-of-64-kib', 'a text above 65,535 bytes', /(Say pong\. ){6554}/),
  containing('long-ids', 'an id of a call above 64 characters', /"id":"[^"]{65}/),
  containing('empty-system-messages', 'an empty system message', /"role":"system","content":""/),
  ['long-conversations', 'more than 30 messages', ({ text }) => text.split('"role":').length > 31],
  containing('repeated-prompts', '`echo` true', /"echo":true/),
];

/** Mutants that fail on schemas and options that other interfaces have (D-442). */
export const foreignBodyMutants: readonly Mutant[] = failing.map(failsOn);

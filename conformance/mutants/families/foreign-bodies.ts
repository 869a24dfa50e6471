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
  containing('repeated-prompts', '`echo` true', /"echo":true/),
];

/** Mutants that fail on schemas and options that other interfaces have (D-442). */
export const foreignBodyMutants: readonly Mutant[] = failing.map(failsOn);

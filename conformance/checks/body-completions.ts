import { ranges } from '@paid-inference/contract/constants';
import { completionBody } from './bodies.ts';
import { rejects } from './rejects.ts';

const { minimum, maximum } = ranges.CompletionRequest.temperature;
const completions = { endpoint: 'completions', twin: completionBody } as const;

/** What the body of a text request must be (contract 2.5). */
export const bodyCompletionsChecks = [
  rejects('body.completions.model.required', 'A text body without `model` is invalid', {
    ...completions,
    spoil: ({ model: _, ...rest }) => rest,
  }),
  rejects('body.completions.prompt.required', 'A text body without `prompt` is invalid', {
    ...completions,
    spoil: ({ prompt: _, ...rest }) => rest,
  }),
  rejects('body.completions.prompt.string', 'A `prompt` that is a number is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, prompt: 7 }),
  }),
  rejects('body.completions.max_tokens.integer', 'A `max_tokens` with a fraction is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, max_tokens: 1.5 }),
  }),
  rejects(
    'body.completions.temperature.range',
    'A `temperature` below the range is invalid, its end is not',
    {
      ...completions,
      twin: (model) => ({ ...completionBody(model), temperature: minimum }),
      spoil: (body) => ({ ...body, temperature: minimum - 0.1 }),
    },
  ),
  rejects(
    'body.completions.temperature.range',
    'A `temperature` above the range is invalid, its end is not',
    {
      ...completions,
      twin: (model) => ({ ...completionBody(model), temperature: maximum }),
      spoil: (body) => ({ ...body, temperature: maximum + 0.1 }),
    },
  ),
  rejects('body.completions.stop.array', 'A `stop` that is a number is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, stop: 7 }),
  }),
];

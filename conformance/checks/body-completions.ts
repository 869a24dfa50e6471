import { ranges } from '@paid-inference/contract/constants';
import { beyondCatalog, completionBody } from './bodies.ts';
import { accepts, rejects } from './rejects.ts';

const { minimum, maximum } = ranges.CompletionRequest.temperature;
const completions = { endpoint: 'completions', twin: completionBody } as const;

/** What the body of a text request must be (contract 2.5). */
export const bodyCompletionsChecks = [
  rejects('body.completions.model.required', 'A text body without `model` is invalid', {
    ...completions,
    spoil: ({ model: _, ...rest }) => rest,
  }),
  rejects('body.completions.model.string', 'A `model` that is a number is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, model: 7 }),
  }),
  rejects('body.completions.model.in-catalog', 'A `model` that is not in the catalog is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, model: 'no-such-provider/no-such-model' }),
    beyondSchema: beyondCatalog,
    // It is invalid (1), and its status is not shown (7): so it is refused, by any of the statuses of such a refusal.
    statuses: [400, 404, 422],
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
  rejects('body.completions.temperature.number', 'A `temperature` that is a word is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, temperature: 'hot' }),
  }),
  rejects('body.completions.stop.array', 'A `stop` that is a number is invalid', {
    ...completions,
    spoil: (body) => ({ ...body, stop: 7 }),
  }),
  accepts('body.completions.optional-fields', 'All but `model` and `prompt` may be left out', {
    endpoint: 'completions',
    twin: completionBody,
    bodies: (model) => [{ model, prompt: completionBody(model).prompt }],
  }),
  rejects('body.completions.json', 'A body that is not JSON is invalid', {
    ...completions,
    spoil: (body) => JSON.stringify(body).slice(0, -1),
  }),
];

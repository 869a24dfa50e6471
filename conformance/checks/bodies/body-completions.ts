import { ranges } from '@paid-inference/contract/constants';
import { observation } from '../../context/check.ts';
import { beyondCatalog, completionBody, nearlyJson, noBody, noJson, wrong } from '../../sources/bodies.ts';
import { nullsFor, observes } from './looks-at.ts';
import { accepts, lacking, putting, rejects, strangeModels } from './rejects.ts';

const { minimum, maximum } = ranges.CompletionRequest.temperature;
const completions = { endpoint: 'completions', twin: completionBody } as const;

/** What the body of a text request must be (contract 2.5). */
export const bodyCompletionsChecks = [
  rejects('body.completions.model.required', 'A text body without `model` is invalid', {
    ...completions,
    spoils: { ...lacking('model'), ...noBody },
  }),
  rejects('body.completions.model.string', 'A `model` that is no string is invalid', {
    ...completions,
    spoils: {
      ...putting('model', { 'a number': 7, null: null }),
      '`model` as an array of one': (body) => ({ ...body, model: [body.model] }),
    },
  }),
  rejects('body.completions.model.in-catalog', 'A `model` that is not in the catalog is invalid', {
    ...completions,
    spoils: strangeModels,
    beyondSchema: beyondCatalog,
    // It is invalid (1), and its status is not shown (7): so it is refused, by any of the statuses of such a refusal.
    statuses: [400, 404, 422],
  }),
  rejects('body.completions.prompt.required', 'A text body without `prompt` is invalid', {
    ...completions,
    spoils: lacking('prompt'),
  }),
  rejects('body.completions.prompt.string', 'A `prompt` that is no string is invalid', {
    ...completions,
    spoils: putting('prompt', { 'a number': 7, null: null, 'an array of one': ['One, two, three,'] }),
  }),
  rejects('body.completions.max_tokens.integer', 'A `max_tokens` that is no integer is invalid', {
    ...completions,
    spoils: putting('max_tokens', wrong.integer),
  }),
  rejects(
    'body.completions.temperature.range',
    'A `temperature` below the range is invalid, its end is not',
    {
      ...completions,
      twin: (model) => ({ ...completionBody(model), temperature: minimum }),
      spoils: putting('temperature', { 'less than the least': minimum - 0.1 }),
    },
  ),
  rejects(
    'body.completions.temperature.range',
    'A `temperature` above the range is invalid, its end is not',
    {
      ...completions,
      twin: (model) => ({ ...completionBody(model), temperature: maximum }),
      spoils: putting('temperature', { 'more than the most': maximum + 0.1 }),
    },
  ),
  rejects('body.completions.temperature.number', 'A `temperature` that is no number is invalid', {
    ...completions,
    spoils: putting('temperature', wrong.number),
  }),
  rejects('body.completions.stop.array', 'A `stop` that is neither array nor string is invalid', {
    ...completions,
    spoils: putting('stop', wrong.stop),
  }),
  accepts('body.completions.optional-fields', 'All but `model` and `prompt` may be left out', {
    endpoint: 'completions',
    twin: completionBody,
    bodies: (model) => [{ model, prompt: completionBody(model).prompt }],
  }),
  observation('body.completions.nulls', 'Which optional fields may be null', (context) =>
    observes(
      context,
      'completions',
      nullsFor(completionBody(context.model), 'max_tokens', 'temperature', 'stop'),
    ),
  ),
  rejects('body.completions.json', 'A body that is not JSON is invalid', {
    ...completions,
    spoils: { ...noJson, ...nearlyJson },
  }),
];

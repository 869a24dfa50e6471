import { ranges } from '@paid-inference/contract/constants';
import { observation } from '../../context/check.ts';
import {
  beyondCatalog,
  completionBody,
  nearlyJson,
  nearlyJsonOf,
  noBody,
  noJson,
  wrong,
} from '../../sources/bodies.ts';
import { nullsFor, observes } from './observe-bodies.ts';
import { accepts, lacking, putting, refusalsOfModel, rejects, strangeModels } from './rejects.ts';

const { minimum, maximum } = ranges.CompletionRequest.temperature;
const completions = { endpoint: 'completions', twin: completionBody } as const;

/** Checks of the fields of a text body (§2.5). */
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
    statuses: refusalsOfModel,
  }),
  rejects('body.completions.prompt.required', 'A text body without `prompt` is invalid', {
    ...completions,
    spoils: {
      ...lacking('prompt'),
      '`PROMPT` instead of `prompt`': ({ prompt: PROMPT, ...body }) => ({ ...body, PROMPT }),
      '`messages` instead of `prompt`': ({ prompt: content, ...body }) => ({
        ...body,
        messages: [{ role: 'user', content }],
      }),
    },
  }),
  rejects('body.completions.prompt.string', 'A `prompt` that is no string is invalid', {
    ...completions,
    spoils: putting('prompt', {
      'a number': 7,
      null: null,
      'an array of one': ['One, two, three,'],
      'an array of tokens': [1, 2],
    }),
  }),
  rejects('body.completions.max_tokens.integer', 'A `max_tokens` that is no integer is invalid', {
    ...completions,
    spoils: putting('max_tokens', wrong.integer),
  }),
  rejects(
    'body.completions.temperature.range',
    'A `temperature` below the range is invalid; the minimum is valid',
    {
      ...completions,
      twin: (model) => ({ ...completionBody(model), temperature: minimum }),
      spoils: putting('temperature', { 'a value just below the minimum': minimum - 0.01 }),
    },
  ),
  rejects(
    'body.completions.temperature.range',
    'A `temperature` above the range is invalid; the maximum is valid',
    {
      ...completions,
      twin: (model) => ({ ...completionBody(model), temperature: maximum }),
      spoils: putting('temperature', {
        'a value above the maximum': maximum + 0.1,
        'a value just above the maximum': maximum + 0.01,
      }),
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
  accepts('body.completions.optional-fields', 'All fields but `model` and `prompt` are optional', {
    endpoint: 'completions',
    twin: completionBody,
    bodies: (model) => [{ model, prompt: completionBody(model).prompt }],
  }),
  observation('body.completions.nulls', 'Optional fields that may be null', (context) =>
    observes(
      context,
      'completions',
      nullsFor(completionBody(context.model), 'max_tokens', 'temperature', 'stop'),
    ),
  ),
  rejects('body.completions.json', 'A body that is not JSON is invalid', {
    ...completions,
    spoils: { ...noJson, ...nearlyJson, ...nearlyJsonOf.completions },
  }),
];

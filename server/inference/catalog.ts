import { availableParallelism } from 'node:os';
import type { CatalogModel } from '@paid-inference/contract/types';
import { z } from 'zod';
import { fail, ok, type Result } from '../types/result.ts';
import { type AtomicAmount, parseAtomicAmount, type UnixSeconds, unixSeconds } from '../types/units.ts';

/** The models that the gateway sells, in the order of the catalog file. */
export type Catalog = {
  get(id: string): CatalogEntry | undefined;
  list(): readonly CatalogEntry[];
};

/** One model: its limits, its price and its engine. */
export type CatalogEntry = {
  readonly id: string;
  readonly created: UnixSeconds;
  readonly ownedBy: string;
  /** The most tokens of input and output together. */
  readonly contextLength: number;
  /** The greatest `max_tokens` (D-12). */
  readonly maxOutputTokens: number;
  readonly rateCard: RateCard;
} & (
  | { readonly engine: 'reference'; readonly upstream: null; readonly llama: null }
  | { readonly engine: 'openai'; readonly upstream: Upstream; readonly llama: null }
  | { readonly engine: 'llama'; readonly upstream: null; readonly llama: LlamaFile }
);

/** Prices in the token's smallest unit: for a million tokens, and the minimum of a request (D-16). */
export type RateCard = {
  readonly inputPerMillion: AtomicAmount;
  readonly outputPerMillion: AtomicAmount;
  readonly minimum: AtomicAmount;
};

/** A server with the OpenAI interface. Its key is in the environment, in the variable `apiKeyEnv`. */
export type Upstream = {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKeyEnv: string | null;
};

/** A model that runs in the process of the gateway; see `LlamaModelOptions`. */
export type LlamaFile = {
  readonly file: string;
  readonly threads: number;
  readonly sequences: number;
  readonly usesGpu: boolean;
};

/** Reads the content of a catalog file. The fault has a sentence for every error, not only for the first. */
export function loadCatalog(json: unknown): Result<Catalog, readonly string[]> {
  const read = catalogFile.safeParse(json);
  const faults = [...(read.error?.issues.map(sentence) ?? []), ...acrossFields(json)];
  if (!read.success || faults.length > 0) return fail(faults);
  const entries: readonly CatalogEntry[] = Object.freeze(read.data.models.map(toEntry));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return ok({ get: (id) => byId.get(id), list: () => entries });
}

/** Presents a model for `GET /v1/models` (D-31), without its upstream. */
export function presentModel(entry: CatalogEntry): CatalogModel {
  return {
    id: entry.id,
    object: 'model',
    created: entry.created,
    owned_by: entry.ownedBy,
    engine: entry.engine,
    context_length: entry.contextLength,
    max_output_tokens: entry.maxOutputTokens,
    pricing: {
      input_per_million: entry.rateCard.inputPerMillion.toString(),
      output_per_million: entry.rateCard.outputPerMillion.toString(),
      minimum: entry.rateCard.minimum.toString(),
    },
  };
}

const engineNames = ['reference', 'openai', 'llama'] as const;
/** The greatest int32, which is the type on the wire. */
const tokensMax = 2 ** 31 - 1;

function text(shape: RegExp, rule: string) {
  return z.string({ error: rule }).regex(shape, { error: rule });
}

function wholeNumber(minimum: number, maximum: number) {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int({ error: rule }).min(minimum, { error: rule }).max(maximum, { error: rule });
}

/** Far below uint256, so that a quote cannot overflow with any token count. */
const priceDigitsMax = 30;
const priceRule = `must be a whole number of smallest units as a decimal string of at most ${priceDigitsMax} digits`;
const price = z
  .string({ error: priceRule })
  .max(priceDigitsMax, { error: priceRule, abort: true })
  .refine((digits) => parseAtomicAmount(digits) !== null, { error: priceRule })
  .transform((digits) => parseAtomicAmount(digits) ?? z.NEVER);

function isBaseUrl(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
const baseUrlRule = 'must be an http or https URL without credentials, query or fragment';

const upstreamFile = z.strictObject({
  base_url: z.string({ error: baseUrlRule }).refine(isBaseUrl, { error: baseUrlRule }),
  model: text(/^\S+$/, 'must be the name of the model at the upstream'),
  api_key_env: text(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable').optional(),
});

const llamaFile = z.strictObject({
  file: text(/\S/, 'must be the path of a GGUF file'),
  // The threads of llama.cpp wait for each other in a loop, so one more than there are free cores slows all down.
  threads: wholeNumber(1, 1_024).default(() => Math.max(1, availableParallelism() - 1)),
  sequences: wholeNumber(1, 256).default(2),
  gpu: z.boolean({ error: 'must be true or false' }).default(false),
});

const modelFile = z.strictObject({
  id: text(
    /^(?=.{3,200}$)[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.:-]*$/,
    'must be <provider>/<model_name> in at most 200 letters, digits, dots, dashes and underscores',
  ),
  created: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  owned_by: text(/\S/, 'must be a name'),
  engine: z.enum(engineNames, { error: `must be one of ${engineNames.join(', ')}` }),
  context_length: wholeNumber(1, tokensMax),
  max_output_tokens: wholeNumber(1, tokensMax),
  pricing: z.strictObject({ input_per_million: price, output_per_million: price, minimum: price }),
  upstream: upstreamFile.optional(),
  llama: llamaFile.optional(),
});

const catalogFile = z.strictObject({
  models: z.array(modelFile).min(1, { error: 'must have at least one model' }),
});

function toEntry(model: z.infer<typeof modelFile>): CatalogEntry {
  const common = {
    id: model.id,
    created: unixSeconds(model.created),
    ownedBy: model.owned_by,
    contextLength: model.context_length,
    maxOutputTokens: model.max_output_tokens,
    rateCard: {
      inputPerMillion: model.pricing.input_per_million,
      outputPerMillion: model.pricing.output_per_million,
      minimum: model.pricing.minimum,
    },
  };
  if (model.engine === 'reference') return { ...common, engine: 'reference', upstream: null, llama: null };
  if (model.engine === 'llama') {
    const { gpu: usesGpu, ...llama } = requirePart(model.llama, model.id);
    return { ...common, engine: 'llama', upstream: null, llama: { ...llama, usesGpu } };
  }
  const {
    base_url: baseUrl,
    model: upstreamModel,
    api_key_env: apiKeyEnv = null,
  } = requirePart(model.upstream, model.id);
  const upstream = { baseUrl, model: upstreamModel, apiKeyEnv };
  return { ...common, engine: 'openai', upstream, llama: null };
}

function requirePart<Part>(part: Part | undefined, id: string): Part {
  if (part === undefined) throw new Error(`the catalog check accepted ${id} without the part of its engine`);
  return part;
}

/** The part of an entry that only one engine has. */
const engineParts = { upstream: 'openai', llama: 'llama' } as const;

/** Checks rules between fields, on the raw content so that faults elsewhere do not hide them. */
function acrossFields(json: unknown): readonly string[] {
  const models = isRecord(json) && Array.isArray(json['models']) ? json['models'] : [];
  const firstPlace = new Map<string, number>();
  return models.flatMap((model: unknown, place) => {
    if (!isRecord(model)) return [];
    const faults: string[] = [];
    const { id, engine, max_output_tokens: output, context_length: context } = model;
    if (typeof id === 'string') {
      const first = firstPlace.get(id);
      if (first === undefined) firstPlace.set(id, place);
      else faults.push(`models[${place}].id must be unique, but models[${first}] has the id "${id}" too`);
    }
    for (const [part, owner] of Object.entries(engineParts)) {
      const isThere = model[part] !== undefined;
      if (engine === owner && !isThere)
        faults.push(`models[${place}].${part} is missing, but the ${owner} engine needs it`);
      if (engineNames.some((name) => name === engine && name !== owner) && isThere)
        faults.push(`models[${place}].${part} must be removed, because the ${engine} engine has no ${part}`);
    }
    if (typeof output === 'number' && typeof context === 'number' && output > context)
      faults.push(`models[${place}].max_output_tokens must be at most context_length, ${context}`);
    return faults;
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sentence(issue: z.core.$ZodIssue): string {
  const path = issue.path.reduce<string>(
    (place, key) => (typeof key === 'number' ? `${place}[${key}]` : `${place}.${String(key)}`),
    '',
  );
  const place = path === '' ? 'the catalog' : path.slice(1);
  if (issue.code === 'unrecognized_keys')
    return `${place} has ${issue.keys.map((key) => `"${key}"`).join(', ')}, which is not a known field`;
  if (issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'array'))
    return `${place} must be an ${issue.expected}`;
  return `${place} ${issue.message}`;
}

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
  /** The most inferences at once (D-313); null where the catalog names none. */
  readonly inferencesMax: number | null;
  readonly rateCard: RateCard;
  readonly engine: (typeof engineNames)[number];
  /** The servers of the `openai` engine, in the order of the catalog; empty for another engine. */
  readonly upstreams: readonly Upstream[];
  /** The model of the `llama` engine; null for another engine. */
  readonly llama: LlamaFile | null;
};

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
  /** Its share of the requests, in relation to the other servers of the model (D-310). */
  readonly weight: number;
};

/** A model that runs in the process of the gateway; see `LlamaModelOptions`. */
type LlamaFile = {
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

/** A price of 0 needs no funds: anyone could fill the store, and the operator would pay the gas (D-16). */
const pricing = z
  .strictObject({ input_per_million: price, output_per_million: price, minimum: price })
  .refine((rates) => rates.minimum > 0n || rates.output_per_million > 0n, {
    path: ['minimum'],
    error: 'must be at least "1", or output_per_million must be, because the gateway sells nothing for 0',
  });

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

/** The greatest weight, and the most upstreams of a model. */
const weightMax = 1_000;
const upstreamsMax = 16;
const upstreamsRule = `must have 1 to ${upstreamsMax} upstreams`;
const weightedUpstreamFile = upstreamFile.extend({ weight: wholeNumber(1, weightMax).default(1) });
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
  pricing,
  max_concurrent_inferences: wholeNumber(1, 100_000).optional(),
  upstream: upstreamFile.optional(),
  upstreams: z
    .array(weightedUpstreamFile)
    .min(1, { error: upstreamsRule })
    .max(upstreamsMax, { error: upstreamsRule })
    .optional(),
  llama: llamaFile.optional(),
});

const catalogFile = z.strictObject({
  models: z.array(modelFile).min(1, { error: 'must have at least one model' }),
});

function toEntry(model: z.infer<typeof modelFile>): CatalogEntry {
  const { upstream, upstreams = upstream ? [{ ...upstream, weight: 1 }] : [], llama } = model;
  return {
    id: model.id,
    created: unixSeconds(model.created),
    ownedBy: model.owned_by,
    contextLength: model.context_length,
    maxOutputTokens: model.max_output_tokens,
    inferencesMax: model.max_concurrent_inferences ?? null,
    rateCard: {
      inputPerMillion: model.pricing.input_per_million,
      outputPerMillion: model.pricing.output_per_million,
      minimum: model.pricing.minimum,
    },
    engine: model.engine,
    upstreams: upstreams.map(({ base_url: baseUrl, model: name, api_key_env: apiKeyEnv = null, weight }) => ({
      baseUrl,
      model: name,
      apiKeyEnv,
      weight,
    })),
    llama: llama === undefined ? null : llamaModel(llama),
  };
}

function llamaModel({ gpu: usesGpu, ...llama }: z.infer<typeof llamaFile>): LlamaFile {
  return { ...llama, usesGpu };
}

/** The engine of each part that only one engine has. */
const engineParts = { upstream: 'openai', upstreams: 'openai', llama: 'llama' } as const;

/** Checks rules between fields, on the raw content so that faults elsewhere do not hide them. */
function acrossFields(json: unknown): readonly string[] {
  const models = isRecord(json) && Array.isArray(json['models']) ? json['models'] : [];
  const firstPlace = new Map<string, number>();
  return models.flatMap((model: unknown, place) => {
    if (!isRecord(model)) return [];
    const faults: string[] = [];
    const { id, max_output_tokens: output, context_length: context } = model;
    if (typeof id === 'string') {
      const first = firstPlace.get(id);
      if (first === undefined) firstPlace.set(id, place);
      else faults.push(`models[${place}].id must be unique, but models[${first}] has the id "${id}" too`);
    }
    faults.push(...engineFaults(model, place));
    if (typeof output === 'number' && typeof context === 'number' && output > context)
      faults.push(`models[${place}].max_output_tokens must be at most context_length, ${context}`);
    return faults;
  });
}

/** Checks that a model has the part of its engine, and none of another engine. */
function engineFaults(model: Readonly<Record<string, unknown>>, place: number): readonly string[] {
  const engine = engineNames.find((name) => name === model['engine']);
  if (engine === undefined) return [];
  const given = Object.entries(engineParts).filter(([part]) => model[part] !== undefined);
  const own = given.filter(([, owner]) => owner === engine);
  const faults = given
    .filter(([, owner]) => owner !== engine)
    .map(
      ([part, owner]) => `models[${place}].${part} must be removed, because only the ${owner} engine has it`,
    );
  const missing = engine === 'openai' ? 'upstream' : engine;
  if (engine !== 'reference' && own.length === 0)
    faults.push(`models[${place}].${missing} is missing, but the ${engine} engine needs it`);
  if (own.length > 1)
    faults.push(`models[${place}].upstream must be removed, because upstreams lists all servers`);
  return faults;
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

import { randomInt } from 'node:crypto';
import type { InferenceTask } from '../engine.ts';
import type { Sampling } from './generate.ts';

/** llama.cpp's server draws with these by default. */
const [topK, topP, minP] = [40, 0.95, 0.05];

/** How the tokens of a task are drawn. A task without a seed gets a random one. */
export function chooseSampling({ temperature, fields }: InferenceTask): Sampling {
  return {
    temperature,
    topK,
    topP: fields.top_p ?? topP,
    minP,
    seed: fields.seed === undefined ? randomInt(2 ** 32) : Number(BigInt.asUintN(32, BigInt(fields.seed))),
    frequencyPenalty: fields.frequency_penalty ?? 0,
    presencePenalty: fields.presence_penalty ?? 0,
  };
}

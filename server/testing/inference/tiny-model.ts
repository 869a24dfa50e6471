import { writeFileSync } from 'node:fs';

// For tests: a GGUF file of some megabytes whose model is a table. It has the architecture of Llama with weights that
// are zero, except that each token is followed by the tokens that the table names. So real llama.cpp gives known texts.

/** The tokens that may follow a token, each with the same probability. `''` is the end of the text. */
export type Follows = Readonly<Record<string, readonly string[]>>;

export type TinyModel = {
  /** Words that are one token each, besides all single bytes and printable characters. */
  readonly follows: Follows;
  /** A Jinja template; the one of ChatML by default. */
  readonly template?: string;
};

const chatMl =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** The width of the model, and the most tokens of its vocabulary. */
const width = 512;
const heads = 8;
const contextLength = 4_096;
const kinds = { unknown: 2, normal: 1, control: 3, word: 4, byte: 6 } as const;

export function writeTinyModel(path: string, { follows, template = chatMl }: TinyModel): void {
  const vocabulary = listVocabulary(follows);
  const metadata = [
    text('general.architecture', 'llama'),
    text('general.name', 'tiny'),
    whole('llama.context_length', contextLength),
    whole('llama.embedding_length', width),
    whole('llama.block_count', 1),
    whole('llama.feed_forward_length', 32),
    whole('llama.attention.head_count', heads),
    whole('llama.attention.head_count_kv', 1),
    fraction('llama.attention.layer_norm_rms_epsilon', 1e-6),
    whole('llama.rope.dimension_count', width / heads),
    whole('llama.vocab_size', vocabulary.length),
    text('tokenizer.ggml.model', 'llama'),
    list(
      'tokenizer.ggml.tokens',
      types.text,
      vocabulary.map(({ text }) => string(text)),
    ),
    list(
      'tokenizer.ggml.scores',
      types.fraction,
      vocabulary.map(() => float(0)),
    ),
    list(
      'tokenizer.ggml.token_type',
      types.integer,
      vocabulary.map(({ kind }) => integer(kind)),
    ),
    whole('tokenizer.ggml.unknown_token_id', 0),
    whole('tokenizer.ggml.bos_token_id', 1),
    whole('tokenizer.ggml.eos_token_id', 2),
    flag('tokenizer.ggml.add_bos_token', false),
    flag('tokenizer.ggml.add_space_prefix', false),
    text('tokenizer.chat_template', template),
  ];
  writeFileSync(path, encode(metadata, listTensors(vocabulary, follows)));
}

type VocabularyEntry = { readonly text: string; readonly kind: number };

function listVocabulary(follows: Follows): readonly VocabularyEntry[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    kind: kinds.byte,
  }));
  // This kind of vocabulary writes a space as U+2581.
  const characters = Array.from({ length: 95 }, (_, at) => ({
    text: at === 0 ? '\u2581' : String.fromCharCode(32 + at),
    kind: kinds.normal,
  }));
  const words = new Set([...Object.keys(follows), ...Object.values(follows).flat()]);
  for (const { text } of [...bytes, ...characters]) words.delete(text);
  for (const known of ['', '\n', ' ']) words.delete(known);
  const vocabulary = [
    { text: '<unk>', kind: kinds.unknown },
    { text: '<s>', kind: kinds.control },
    { text: '</s>', kind: kinds.control },
    ...bytes,
    ...characters,
    { text: '<|im_start|>', kind: kinds.control },
    { text: '<|im_end|>', kind: kinds.control },
    ...[...words].map((text) => ({ text, kind: kinds.word })),
  ];
  if (vocabulary.length > width) throw new Error(`a tiny model has at most ${width} tokens`);
  return vocabulary;
}

/** How the vocabulary writes the end, a line break and a space. */
const spellings: Readonly<Record<string, string>> = { '': '</s>', '\n': '<0x0A>', ' ': '\u2581' };

type Tensor = { readonly name: string; readonly shape: readonly number[]; readonly values: Float32Array };

function listTensors(vocabulary: readonly VocabularyEntry[], follows: Follows): readonly Tensor[] {
  const places = new Map(vocabulary.map(({ text }, place) => [text, place]));
  const find = (text: string) => {
    const place = places.get(spellings[text] ?? text);
    if (place === undefined) throw new Error(`the tiny model has no token ${text}`);
    return place;
  };
  // Each token is a direction of its own, and the output compares the last one with the table.
  const embedding = new Float32Array(width * vocabulary.length);
  const output = new Float32Array(width * vocabulary.length);
  for (let place = 0; place < vocabulary.length; place++) embedding[place * width + place] = 1;
  for (const [from, next] of Object.entries(follows))
    for (const to of next) output[find(to) * width + find(from)] = 1;
  const zeros = (name: string, ...shape: readonly number[]): Tensor => ({
    name,
    shape,
    values: new Float32Array(shape.reduce((product, size) => product * size)),
  });
  const ones = (name: string): Tensor => ({ name, shape: [width], values: new Float32Array(width).fill(1) });
  return [
    { name: 'token_embd.weight', shape: [width, vocabulary.length], values: embedding },
    ones('output_norm.weight'),
    { name: 'output.weight', shape: [width, vocabulary.length], values: output },
    ones('blk.0.attn_norm.weight'),
    zeros('blk.0.attn_q.weight', width, width),
    zeros('blk.0.attn_k.weight', width, width / heads),
    zeros('blk.0.attn_v.weight', width, width / heads),
    zeros('blk.0.attn_output.weight', width, width),
    ones('blk.0.ffn_norm.weight'),
    zeros('blk.0.ffn_gate.weight', width, 32),
    zeros('blk.0.ffn_up.weight', width, 32),
    zeros('blk.0.ffn_down.weight', 32, width),
  ];
}

/** The form of the file: a head, the metadata, the places of the tensors, and their values. */
function encode(metadata: readonly Buffer[], tensors: readonly Tensor[]): Buffer {
  let offset = 0;
  const places = tensors.map(({ name, shape, values }) => {
    const place = [string(name), integer(shape.length), ...shape.map(long), integer(0), long(offset)];
    offset += align(values.byteLength);
    return Buffer.concat(place);
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    integer(3),
    long(tensors.length),
    long(metadata.length),
    ...metadata,
    ...places,
  ]);
  const values = tensors.map(({ values }) => padded(Buffer.from(values.buffer)));
  return Buffer.concat([padded(head), ...values]);
}

const alignment = 32;

function align(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(align(bytes.length) - bytes.length)]);
}

const types = { whole: 4, integer: 5, fraction: 6, flag: 7, text: 8, list: 9 } as const;

function text(key: string, value: string): Buffer {
  return Buffer.concat([string(key), integer(types.text), string(value)]);
}

function whole(key: string, value: number): Buffer {
  return Buffer.concat([string(key), integer(types.whole), integer(value)]);
}

function fraction(key: string, value: number): Buffer {
  return Buffer.concat([string(key), integer(types.fraction), float(value)]);
}

function flag(key: string, value: boolean): Buffer {
  return Buffer.concat([string(key), integer(types.flag), Buffer.from([value ? 1 : 0])]);
}

function list(key: string, type: number, values: readonly Buffer[]): Buffer {
  return Buffer.concat([string(key), integer(types.list), integer(type), long(values.length), ...values]);
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([long(bytes.length), bytes]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAI as LangChainText } from '@langchain/openai';
import { headerNames } from '@paid-inference/contract/constants';
import { generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { question as orderQuestion, orderStatusTool } from '../demo/order-tool.ts';

// The AI SDK warns that it sends no `toolChoice` with a text completion.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

type SdkFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The options of an SDK: a fetch that pays, and the SDK's own timeout. */
type SdkOptions = {
  /** The URL of the gateway with `/v1`. */
  readonly baseURL: string;
  readonly fetch: SdkFetch;
  readonly timeoutMs: number;
};

export const features = [
  'chat',
  'text completion',
  'instructions as role `developer`',
  'text in content parts',
  'a stream, and its usage',
  'a tool call, and its result in the next request',
  'a tool call in a stream',
  'JSON by a schema',
  'a limit of tokens',
  'the receipt in the headers of the response',
  'an image is refused before the payment',
] as const;
export type Feature = (typeof features)[number];

/** Each feature returns whether it worked, or throws. An SDK that has no such feature leaves it out. */
type Sdk = {
  readonly chat: (prompt: string) => Promise<string>;
  /** The text of a streamed chat. */
  readonly stream: (prompt: string) => Promise<string>;
  readonly features: Partial<Record<Feature, () => Promise<boolean>>>;
};

const model = 'alder/alder-mini';
const arithmetic = 'What is 6 times 7?';
const isRight = (text: string | null | undefined) => text?.includes('42') === true;
const apiKey = 'unused';
const parts = [
  { type: 'text' as const, text: 'Compute.' },
  { type: 'text' as const, text: arithmetic },
];
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, days: { type: 'integer' as const } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const weather = 'What is the weather in Paris in the next 3 days?';
const isCounted = ({ text, tokens }: { readonly text: string; readonly tokens: number }) =>
  isRight(text) && tokens > 0;
const isWeather = (value: unknown) => Reflect.get(Object(value), 'days') === 3;
const orderStatus = JSON.stringify({ status: 'shipped' });

async function isRefused(call: Promise<unknown>): Promise<boolean> {
  const error: unknown = await call.then(() => null).catch((thrown: unknown) => thrown);
  return error instanceof Error && /gateway sells only text|content/.test(error.message);
}

function openai({ baseURL, fetch, timeoutMs }: SdkOptions): Sdk {
  const client = new OpenAI({ baseURL, apiKey, fetch, timeout: timeoutMs });
  const ask = (messages: OpenAI.Chat.ChatCompletionMessageParam[], more: object = {}) =>
    client.chat.completions.create({ model, messages, ...more, stream: false });
  const textOf = ({ choices }: OpenAI.Chat.ChatCompletion) => choices[0]?.message.content ?? '';
  const chat = async (prompt: string) => textOf(await ask([{ role: 'user', content: prompt }]));
  const readStream = async (prompt: string) => {
    const messages = [{ role: 'user' as const, content: prompt }];
    const options = { stream: true as const, stream_options: { include_usage: true } };
    let [text, tokens] = ['', 0];
    for await (const chunk of await client.chat.completions.create({ model, messages, ...options })) {
      text += chunk.choices[0]?.delta.content ?? '';
      tokens += chunk.usage?.total_tokens ?? 0;
    }
    return { text, tokens };
  };
  return {
    chat,
    stream: async (prompt) => (await readStream(prompt)).text,
    features: {
      'a stream, and its usage': async () => isCounted(await readStream(arithmetic)),
      'a tool call in a stream': async () => {
        const messages = [{ role: 'user' as const, content: orderQuestion }];
        const streamed = client.chat.completions.stream({ model, messages, tools: [orderStatusTool] });
        const { choices } = await streamed.finalChatCompletion();
        const [called] = choices[0]?.message.tool_calls ?? [];
        return called?.type === 'function' && called.function.name === orderStatusTool.function.name;
      },
      chat: async () => isRight(await chat(arithmetic)),
      'text completion': async () => {
        const { choices } = await client.completions.create({ model, prompt: arithmetic });
        return choices[0]?.text !== '';
      },
      'instructions as role `developer`': async () =>
        isRight(
          textOf(
            await ask([
              { role: 'developer', content: 'Be brief.' },
              { role: 'user', content: arithmetic },
            ]),
          ),
        ),
      'text in content parts': async () => isRight(textOf(await ask([{ role: 'user', content: parts }]))),
      'a tool call, and its result in the next request': async () => {
        const tools = { tools: [orderStatusTool] };
        const asked: OpenAI.Chat.ChatCompletionMessageParam = { role: 'user', content: orderQuestion };
        const { choices } = await ask([asked], tools);
        const [call] = choices[0]?.message.tool_calls ?? [];
        if (choices[0] === undefined || call === undefined) return false;
        const result = { role: 'tool' as const, tool_call_id: call.id, content: orderStatus };
        return textOf(await ask([asked, choices[0].message, result], tools)).includes('shipped');
      },
      'JSON by a schema': async () => {
        const form = { type: 'json_schema', json_schema: { name: 'forecast', schema, strict: true } };
        const asked = await ask([{ role: 'user', content: weather }], { response_format: form });
        return isWeather(JSON.parse(textOf(asked)));
      },
      'a limit of tokens': async () => {
        const { usage } = await ask([{ role: 'user', content: arithmetic }], { max_completion_tokens: 3 });
        return usage?.completion_tokens === 3;
      },
      'the receipt in the headers of the response': async () => {
        const asked = client.chat.completions.create({
          model,
          messages: [{ role: 'user', content: arithmetic }],
        });
        return (await asked.withResponse()).response.headers.has(headerNames.paymentResponse);
      },
      'an image is refused before the payment': () =>
        isRefused(
          ask([{ role: 'user', content: [...parts, { type: 'image_url', image_url: { url: picture } }] }]),
        ),
    },
  };
}

function langchain({ baseURL, fetch, timeoutMs }: SdkOptions): Sdk {
  const settings = { model, apiKey, timeout: timeoutMs, maxRetries: 2, configuration: { baseURL, fetch } };
  const open = (more: object = {}) => new ChatOpenAI({ ...settings, ...more });
  const chat = async (prompt: string) => (await open().invoke(prompt)).text;
  const readStream = async (prompt: string) => {
    let [text, tokens] = ['', 0];
    for await (const chunk of await open().stream(prompt)) {
      text += chunk.text;
      tokens += Number(Reflect.get(Object(chunk.usage_metadata), 'total_tokens') ?? 0);
    }
    return { text, tokens };
  };
  return {
    chat,
    stream: async (prompt) => (await readStream(prompt)).text,
    features: {
      'a stream, and its usage': async () => isCounted(await readStream(arithmetic)),
      'a tool call in a stream': async () => {
        let whole: AIMessageChunk | undefined;
        for await (const chunk of await open().bindTools([orderStatusTool]).stream(orderQuestion))
          whole = whole?.concat(chunk) ?? chunk;
        return whole?.tool_calls?.[0]?.name === orderStatusTool.function.name;
      },
      chat: async () => isRight(await chat(arithmetic)),
      'text completion': async () => (await new LangChainText(settings).invoke(arithmetic)) !== '',
      'text in content parts': async () =>
        isRight(
          (await open().invoke([new SystemMessage('Be brief.'), new HumanMessage({ content: parts })])).text,
        ),
      'a tool call, and its result in the next request': async () => {
        const bound = open().bindTools([orderStatusTool]);
        const asked = new HumanMessage(orderQuestion);
        const called = await bound.invoke([asked]);
        const result = new ToolMessage({
          content: orderStatus,
          tool_call_id: called.tool_calls?.[0]?.id ?? '',
        });
        return (await bound.invoke([asked, called, result])).text.includes('shipped');
      },
      'JSON by a schema': async () => {
        const described = { title: 'forecast', ...schema };
        return isWeather(
          await open().withStructuredOutput(described, { method: 'jsonSchema' }).invoke(weather),
        );
      },
      'a limit of tokens': async () =>
        (await open({ maxTokens: 3 }).invoke(arithmetic)).response_metadata['finish_reason'] === 'length',
      'an image is refused before the payment': () =>
        isRefused(
          open().invoke([
            new HumanMessage({ content: [...parts, { type: 'image_url', image_url: { url: picture } }] }),
          ]),
        ),
    },
  };
}

function aiSdk({ baseURL, fetch, timeoutMs }: SdkOptions): Sdk {
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL,
    fetch,
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
  const settings = { model: provider(model), timeout: timeoutMs };
  const chat = async (prompt: string) => (await generateText({ ...settings, prompt })).text;
  const { name, description = '', parameters = {} } = orderStatusTool.function;
  const execute = async () => orderStatus;
  // The SDK's type of a schema is not read-only, so it gets a copy.
  const inputSchema = jsonSchema(JSON.parse(JSON.stringify(parameters)));
  const asked = {
    ...settings,
    prompt: orderQuestion,
    tools: { [name]: tool({ description, inputSchema, execute }) },
    stopWhen: isStepCount(2),
  };
  return {
    chat,
    stream: async (prompt) => await streamText({ ...settings, prompt, onError: () => undefined }).text,
    features: {
      'a stream, and its usage': async () => {
        const { text, usage } = streamText({ ...settings, prompt: arithmetic });
        return isCounted({ text: await text, tokens: (await usage).totalTokens ?? 0 });
      },
      'a tool call in a stream': async () => (await streamText(asked).text).includes('shipped'),
      chat: async () => isRight(await chat(arithmetic)),
      'text completion': async () => {
        const text = { model: provider.completionModel(model), timeout: timeoutMs, prompt: arithmetic };
        return (await generateText(text)).text !== '';
      },
      'text in content parts': async () => {
        const messages = [{ role: 'user' as const, content: parts }];
        return isRight((await generateText({ ...settings, messages })).text);
      },
      'a tool call, and its result in the next request': async () =>
        (await generateText(asked)).text.includes('shipped'),
      'JSON by a schema': async () => {
        const output = Output.object({ schema: jsonSchema(schema) });
        return isWeather((await generateText({ ...settings, prompt: weather, output })).output);
      },
      'a limit of tokens': async () => {
        const { usage } = await generateText({ ...settings, prompt: arithmetic, maxOutputTokens: 3 });
        return usage.outputTokens === 3;
      },
      'the receipt in the headers of the response': async () => {
        const { response } = await generateText({ ...settings, prompt: arithmetic });
        return response.headers?.[headerNames.paymentResponse.toLowerCase()] !== undefined;
      },
      'an image is refused before the payment': () => {
        const content = [...parts, { type: 'file' as const, data: picture, mediaType: 'image/png' }];
        return isRefused(generateText({ ...settings, messages: [{ role: 'user', content }] }));
      },
    },
  };
}

export const sdks = { 'OpenAI SDK': openai, LangChain: langchain, 'AI SDK': aiSdk } as const;

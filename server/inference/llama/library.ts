import { fail, ok, type Result } from '../../types/result.ts';

// The parts of node-llama-cpp that the engine uses. The package is an optional peer, so the type check of the gateway
// must not need it. `npm run test:llama` compares these types with those of the package (D-330).

/** A token of a model's vocabulary. */
export type Token = number & { readonly __token: never };

/** A text with marks for control tokens. */
export type MarkedText = { tokenize(tokenizer: LlamaModel['tokenizer']): Token[]; toString(): string };

/** A message of the chat history. A call has its result, because a chat template writes both together. */
export type HistoryItem =
  | { type: 'system'; text: string }
  | { type: 'user'; text: string }
  | { type: 'model'; response: (string | HistoryCall)[] };
export type HistoryCall = {
  type: 'functionCall';
  name: string;
  params: unknown;
  result: unknown;
  startsNewChunk?: boolean;
};

/** The package types its own kind of schema. Templates write any JSON. */
export type AvailableFunction = { description?: string; params?: never };

/** The chat template of a model. */
export interface ChatWrapper {
  readonly wrapperName: string;
  readonly settings: {
    readonly functions: {
      readonly call: {
        readonly prefix: string | MarkedText;
        readonly paramsPrefix: string | MarkedText;
      };
      readonly parallelism?: { readonly call: { readonly sectionPrefix: string | MarkedText } };
    };
    readonly segments?: {
      readonly thought?: {
        readonly prefix: string | MarkedText | { type: 'openedOnStart' };
        readonly suffix?: string | MarkedText;
        readonly openOnResponseStart?: boolean;
      };
    };
  };
  generateContextState(options: {
    chatHistory: HistoryItem[];
    availableFunctions?: Record<string, AvailableFunction>;
  }): {
    contextText: MarkedText;
    stopGenerationTriggers: MarkedText[];
    /** Only templates with channels have these. */
    rerender?: object;
    functionCall?: object;
  };
}

export interface LlamaGrammar {
  readonly grammar: string;
}

/** What a grammar allows behind the text so far. */
export interface GrammarState {
  clone(): GrammarState;
}

/** How a token is drawn. */
export type SamplingOptions = {
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: number;
  grammarEvaluationState?: GrammarState;
  repeatPenalty?: {
    punishTokens: () => Token[];
    penalty: number;
    frequencyPenalty: number;
    presencePenalty: number;
  };
};

/** One of the texts that a context evaluates at the same time. */
export interface LlamaSequence {
  readonly contextSize: number;
  readonly nextTokenIndex: number;
  adaptStateToTokens(tokens: Token[], allowShift?: boolean): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: Token[]): Promise<void>;
  evaluate(tokens: Token[], options: SamplingOptions): AsyncGenerator<Token, void, void>;
  clearHistory(): Promise<void>;
}

export interface LlamaContext {
  readonly contextSize: number;
  getSequence(): LlamaSequence;
}

export interface LlamaModel {
  readonly tokenizer: unknown;
  readonly trainContextSize: number;
  readonly fileInfo: { readonly metadata: { readonly tokenizer: { readonly chat_template?: string } } };
  readonly tokens: { readonly bos: Token | null; readonly shouldPrependBosToken: boolean };
  tokenize(text: string, specialTokens?: boolean): Token[];
  detokenize(tokens: readonly Token[], specialTokens?: boolean, lastTokens?: readonly Token[]): string;
  createContext(options: {
    contextSize: number;
    sequences: number;
    batchSize: number;
    threads: number;
    createSignal: AbortSignal;
  }): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

export interface Llama {
  loadModel(options: {
    modelPath: string;
    gpuLayers: 'auto' | 0;
    onLoadProgress: (share: number) => void;
    loadSignal: AbortSignal;
  }): Promise<LlamaModel>;
  createGrammar(options: { grammar: string }): Promise<LlamaGrammar>;
}

/** A parameter `never` is an object of the package, of which these types have only a part. */
export interface LlamaLibrary {
  getLlama(options: {
    gpu: 'auto' | false;
    build: 'never';
    skipDownload: true;
    progressLogs: false;
    maxThreads: number;
    logger: (level: string, message: string) => void;
  }): Promise<Llama>;
  resolveChatWrapper(model: LlamaModel): ChatWrapper;
  LlamaGrammarEvaluationState: new (options: never) => GrammarState;
  LlamaText(text: never): MarkedText;
}

/** The package, and the version that the tests run with. */
export const libraryName = 'node-llama-cpp';
export const libraryVersion = '3.21.1';

/** Whether the package is installed. It is not loaded for that. */
export function isLibraryInstalled(): boolean {
  try {
    import.meta.resolve(libraryName);
    return true;
  } catch {
    return false;
  }
}

/** Loads the package. The fault is a sentence for the operator. */
export async function loadLibrary(): Promise<Result<LlamaLibrary, string>> {
  try {
    return ok((await import(libraryName)) as LlamaLibrary);
  } catch (cause) {
    return fail(`${libraryName} cannot be loaded: ${cause instanceof Error ? cause.message : 'unknown'}`);
  }
}

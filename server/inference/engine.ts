import type { extensionFields } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionMessage,
  CompletionRequest,
  FinishReason,
  ToolCall,
  ToolDefinition,
  Usage,
} from '@paid-inference/contract/types';
import type { Result } from '../types/result.ts';

/** A field of OpenAI clients that an engine may honour (D-264). */
export type EngineField = Exclude<
  (typeof extensionFields.ChatCompletionRequest)[number],
  'max_completion_tokens' | 'stream' | 'stream_options'
>;
export type EngineFields = Pick<ChatCompletionRequest, EngineField>;

/** A chat request with all defaults applied and all alternative spellings resolved (D-10 to D-12). */
export type ChatTask = {
  readonly kind: 'chat';
  readonly model: string;
  readonly messages: ChatCompletionRequest['messages'];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: TaskToolChoice;
  readonly fields: EngineFields;
};

/** `specific` names a tool that is in `tools`. */
export type TaskToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'specific'; readonly name: string };

/** A text request with all defaults applied. */
export type TextTask = {
  readonly kind: 'text';
  readonly model: string;
  readonly prompt: CompletionRequest['prompt'];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
  readonly fields: EngineFields;
};

export type InferenceTask = ChatTask | TextTask;

/** The completion of a task. The gateway adds id, time and model. */
export type ChatInference = {
  readonly kind: 'chat';
  readonly message: CompletionMessage;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
};
export type TextInference = {
  readonly kind: 'text';
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
};
export type Inference = ChatInference | TextInference;

/** A part of a completion. The parts of the texts together are the text of the completion. */
export type InferenceDelta =
  | { readonly kind: 'text'; readonly text: string }
  /** A whole tool call: an incomplete one is useless, and a wrong one must not be sold (D-268). */
  | { readonly kind: 'call'; readonly call: ToolCall };

/** Yields a completion while the model writes it, and returns the whole completion at the end. */
export type InferenceStream = AsyncGenerator<InferenceDelta, Result<Inference, InferenceFault>, void>;

/** Why there is no inference. Nothing is charged then (D-22). `detail` is for the log, never for the client. */
export type InferenceFault = {
  readonly kind: 'failed' | 'timeout' | 'cancelled' | 'overloaded';
  readonly detail: string;
  /** The server works: it refused this request, or its model wrote a completion that cannot be sold (D-311). */
  readonly isOfRequest?: true;
  /** The server responded with a fault that the request may have caused (D-342). */
  readonly mayBeOfRequest?: true;
  /** The server did not get the task, because this process has no connection left to it. */
  readonly isUnsent?: true;
};

export type InferenceLimits = {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Headers for an upstream, which carry the context of a trace. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long an upstream may take to begin its response; no limit of its own when left out. */
  readonly beginTimeoutMs?: number;
  /** Called when an upstream has begun its response. */
  readonly onBegun?: () => void;
  /** The payer, so that its faults keep no other payer away from an upstream (D-342), and its work delays no other one. */
  readonly client?: string;
  /** The site of the client (D-224), so that its work delays no other site (D-200). */
  readonly site?: string;
};

/** Runs a model. */
export interface Engine {
  /** The name in `GET /v1/models` and in the log. */
  readonly name: string;
  /** The fields of OpenAI clients that the engine honours (D-264); none when left out. */
  readonly honours?: readonly EngineField[];
  /** Starts to load what the first task needs. The gateway calls it when a client gets an offer. */
  prepare?(): void;
  /** Runs a task until its end, the timeout or the signal. Throws only for defects. */
  infer(task: InferenceTask, limits: InferenceLimits): Promise<Result<Inference, InferenceFault>>;
  /**
   * Runs a task like `infer`, and yields its completion in parts. Waits while the caller takes no part, but not
   * beyond the limits. A caller that stops early must call `return`.
   */
  stream(task: InferenceTask, limits: InferenceLimits): InferenceStream;
  /** What runs the tasks, in the order of the catalog; left out if nothing has to be probed. */
  readonly upstreams?: readonly EngineUpstream[];
  /** Ends pooled connections. */
  close(): Promise<void>;
}

/** A server that runs tasks for an engine, or a model that must be loaded before. */
export type EngineUpstream = {
  /** All engines on the server share its probe. */
  readonly probe: EngineProbe;
  /** Why the engine sends the server no tasks of this payer now, after tasks that failed; null when it does. */
  breakerIssue(client?: string): string | null;
  /** False after a task that failed, timed out or met a full server, until the next completion (D-313). */
  isWorking(): boolean;
};

/** Asks what runs the tasks how it is. */
export interface EngineProbe {
  /**
   * Why it cannot run tasks now, as a sentence for the operator; null when it can. Costs no tokens, and
   * takes a limited time.
   */
  issue(): Promise<string | null>;
}

/** The log for operators. */
export type EngineLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** The engines of a catalog, each built once. */
export type Engines = {
  /** Throws for an id that is not in the catalog. */
  engineFor(modelId: string): Engine;
  close(): Promise<void>;
};

import type {
  AssistantAnswer,
  ChatCompletionRequest,
  CompletionRequest,
  FinishReason,
  ToolDefinition,
  Usage,
} from '@paid-inference/contract/types';
import type { Result } from '../types/result.ts';

/** A chat request with every default applied and every alternative spelling resolved (D-10 to D-12). */
export type ChatTask = {
  readonly kind: 'chat';
  readonly model: string;
  readonly messages: ChatCompletionRequest['messages'];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: TaskToolChoice;
};

/** `specific` names a tool that is in `tools`. */
export type TaskToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'specific'; readonly name: string };

/** A text request with every default applied. */
export type TextTask = {
  readonly kind: 'text';
  readonly model: string;
  readonly prompt: CompletionRequest['prompt'];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly stop: readonly string[];
};

export type InferenceTask = ChatTask | TextTask;

/** What an engine made of a task. The gateway adds id, time and model. */
export type ChatInference = {
  readonly kind: 'chat';
  readonly message: AssistantAnswer;
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

/** Why there is no inference; in every case nothing is charged (D-22). `detail` is for the log, never for the caller. */
export type InferenceFault = {
  readonly kind: 'failed' | 'timeout' | 'cancelled' | 'overloaded';
  readonly detail: string;
};

/** Something that generates text. */
export interface Engine {
  /** Its honest name: what `GET /v1/models` and the log say. */
  readonly name: string;
  /** Runs a task until done, until the deadline, or until the signal; never throws for what the outside does. */
  infer(
    task: InferenceTask,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<Result<Inference, InferenceFault>>;
  /** Where it runs tasks, if not in this process. Engines of one upstream have the same. */
  readonly upstream?: EngineUpstream;
  /** Ends pooled connections. */
  close(): Promise<void>;
}

/** A server that engines run tasks on. */
export interface EngineUpstream {
  /**
   * Why nothing can run there now, in a sentence for the operator; null where it may. Costs no tokens and takes a bounded
   * time.
   */
  issue(): Promise<string | null>;
}

/** The engines of a catalog, one for each way of running, built once. */
export type Engines = {
  /** Throws for an id that is not in the catalog. */
  engineFor(modelId: string): Engine;
  close(): Promise<void>;
};

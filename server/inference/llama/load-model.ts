import { basename } from 'node:path';
import { fail, ok, type Result } from '../../types/result.ts';
import type { EngineLog } from '../engine.ts';
import { abortable } from './abortable.ts';
import { type ChatFormat, readChatFormat } from './chat-format.ts';
import type { LlamaContext, LlamaModel } from './library.ts';
import type { LlamaRuntime } from './runtime.ts';

/** How a model is loaded. */
export type LlamaModelOptions = {
  /** The path of a GGUF file. */
  readonly file: string;
  /** The tokens of prompt and completion together, for each sequence. */
  readonly contextTokens: number;
  /** The most texts at the same time. Each takes memory for all its tokens. */
  readonly sequences: number;
  readonly threads: number;
  /** Whether layers run on a GPU, if the machine has one. */
  readonly usesGpu: boolean;
};

export type LoadedModel = LlamaRuntime & {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly chat: ChatFormat;
};

export type ModelLoader = {
  /** Loads the model once. After a fault, tries again with the first call that comes 30 seconds later. */
  load(): Promise<Result<LoadedModel, string>>;
  /** Why the model cannot run now, as a sentence for the operator; null when it can. Starts to load it. */
  issue(): string | null;
  close(): Promise<void>;
};

const retryMs = 30_000;
const progressMs = 5_000;
/** The most tokens of all sequences in one step of the model. */
const batchTokens = 512;

export function createModelLoader(
  options: LlamaModelOptions,
  openRuntime: () => Promise<Result<LlamaRuntime, string>>,
  log: EngineLog,
  now: () => number = () => performance.now(),
): ModelLoader {
  const name = basename(options.file);
  const closing = new AbortController();
  let loading: Promise<Result<LoadedModel, string>> | null = null;
  let loaded: LoadedModel | null = null;
  let failed: { readonly detail: string; readonly at: number } | null = null;
  let percent = 0;
  let reportedAt = 0;
  return {
    load,
    issue() {
      void load();
      if (loaded !== null) return null;
      return loading === null
        ? `the model ${name} cannot be loaded`
        : `the model ${name} is loading: ${percent} %`;
    },
    async close() {
      closing.abort(new Error('the engine is closed'));
      await loading;
      await loaded?.model.dispose();
    },
  };

  function load(): Promise<Result<LoadedModel, string>> {
    if (failed !== null && now() - failed.at < retryMs) return Promise.resolve(fail(failed.detail));
    loading ??= open();
    return loading;
  }

  async function open(): Promise<Result<LoadedModel, string>> {
    const began = now();
    [percent, reportedAt, failed] = [0, began, null];
    const runtime = await openRuntime();
    const opened = runtime.ok
      ? await openModel(options, runtime.value, closing.signal, onLoadProgress)
      : runtime;
    if (opened.ok) {
      loaded = opened.value;
      reportLoaded(opened.value, Math.round(now() - began));
      return opened;
    }
    failed = { detail: `the model ${name} cannot be loaded: ${opened.fault}`, at: now() };
    loading = null;
    if (!closing.signal.aborted)
      log.warn({ model: name, reason: opened.fault }, 'the model cannot be loaded');
    return fail(failed.detail);
  }

  function onLoadProgress(share: number): void {
    percent = Math.floor(share * 100);
    if (now() - reportedAt < progressMs) return;
    reportedAt = now();
    log.info({ model: name, percent }, 'the model is loading');
  }

  function reportLoaded({ model, chat }: LoadedModel, ms: number): void {
    const { file: _, ...settings } = options;
    log.info({ model: name, ...settings, template: chat.wrapper.wrapperName, ms }, 'the model is loaded');
    const { contextTokens } = options;
    const { trainContextSize: trainedWith } = model;
    if (contextTokens > trainedWith)
      log.warn(
        { model: name, contextTokens, trainedWith },
        'context_length of the catalog is more than the model was trained with',
      );
  }
}

async function openModel(
  options: LlamaModelOptions,
  { library, llama }: LlamaRuntime,
  signal: AbortSignal,
  onLoadProgress: (share: number) => void,
): Promise<Result<LoadedModel, string>> {
  const { file, contextTokens, sequences, threads, usesGpu } = options;
  let model: LlamaModel | null = null;
  try {
    const load = llama.loadModel({
      modelPath: file,
      gpuLayers: usesGpu ? 'auto' : 0,
      loadSignal: signal,
      onLoadProgress,
    });
    model = await abortable(load, signal);
    const context = await model.createContext({
      contextSize: contextTokens,
      sequences,
      batchSize: Math.min(batchTokens, contextTokens),
      threads,
      createSignal: signal,
    });
    return ok({ library, llama, model, context, chat: readChatFormat(library, model) });
  } catch (cause) {
    await model?.dispose();
    return fail(cause instanceof Error ? cause.message : 'unknown');
  }
}

import { fail, ok, type Result } from '../../types/result.ts';
import type { EngineLog } from '../engine.ts';
import { type Llama, type LlamaLibrary, loadLibrary } from './library.ts';

export type LlamaRuntimeOptions = {
  /** The threads of all models together. */
  readonly threads: number;
  /** Whether a model may use a GPU, if the machine has one. */
  readonly usesGpu: boolean;
};

/** The package, and llama.cpp in this process. */
export type LlamaRuntime = { readonly library: LlamaLibrary; readonly llama: Llama };

/**
 * Opens llama.cpp once for all models, because it has one log for the process. It is never closed: without this log it
 * would write to standard error. The fault is a sentence for the operator, and the next call tries again.
 */
export function createLlamaRuntime(
  { threads, usesGpu }: LlamaRuntimeOptions,
  log: EngineLog,
  load: () => Promise<Result<LlamaLibrary, string>> = loadLibrary,
): () => Promise<Result<LlamaRuntime, string>> {
  let opening: Promise<Result<LlamaRuntime, string>> | null = null;
  return async () => {
    opening ??= open();
    const opened = await opening;
    if (!opened.ok) opening = null;
    return opened;
  };

  async function open(): Promise<Result<LlamaRuntime, string>> {
    const library = await load();
    if (!library.ok) return library;
    try {
      const llama = await library.value.getLlama({
        gpu: usesGpu ? 'auto' : false,
        // Nothing is compiled or downloaded on the machine of the operator.
        build: 'never',
        skipDownload: true,
        progressLogs: false,
        maxThreads: threads,
        logger: report,
      });
      return ok({ library: library.value, llama });
    } catch (cause) {
      return fail(`llama.cpp cannot be started: ${cause instanceof Error ? cause.message : 'unknown'}`);
    }
  }

  /** The lines are about files and devices, never about prompts. */
  function report(level: string, message: string): void {
    if (['fatal', 'error', 'warn'].includes(level)) log.warn({ reason: message.trim() }, 'llama.cpp reports');
  }
}

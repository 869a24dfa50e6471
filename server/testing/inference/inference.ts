import type { ChatTask, InferenceTask } from '../../inference/engine.ts';
import { createReferenceEngine } from '../../inference/reference/reference-engine.ts';

// For tests: results of the reference engine for tasks that cannot fail.

export async function infer(task: InferenceTask) {
  const inferred = await createReferenceEngine().infer(task, {
    timeoutMs: 15_000,
    signal: new AbortController().signal,
  });
  if (!inferred.ok) throw new Error(inferred.fault.detail);
  return inferred.value;
}

export async function inferChat(task: ChatTask) {
  const inferred = await infer(task);
  if (inferred.kind !== 'chat') throw new Error('the engine returned a text for a chat');
  return inferred;
}

export function readText(inferred: Awaited<ReturnType<typeof infer>>): string {
  return inferred.kind === 'text' ? inferred.text : (inferred.message.content ?? '');
}

export { checks } from './checks/all.ts';
export type { Check } from './context/check.ts';
export type { Judged } from './engine/judge.ts';
export { applyPolicy } from './engine/policy.ts';
export {
  type ExpectedFailure,
  exitCodes,
  type Implementation,
  type Policy,
  type Report,
  type Result,
  type RunVerdict,
} from './engine/report.ts';
export type { Progress } from './engine/run-checks.ts';
export { type Profile, profilesInOrder, profilesOfAll, type Scope } from './engine/scope.ts';
export type { EvidenceEntry } from './engine/transcript.ts';
export { type Journal, openJournal } from './payment/journal.ts';
export { readKeyFile, readKeyText } from './payment/key.ts';
export type { Caps } from './payment/spending.ts';
export { renderBadge } from './report/badge.ts';
export { renderJson } from './report/formats.ts';
export { renderHtml } from './report/html.ts';
export { renderJunit } from './report/junit.ts';
export { renderMarkdown } from './report/markdown.ts';
export { type Colours, renderTree } from './report/tree.ts';
export { judge, type SuiteOptions as JudgeOptions } from './suite/judge.ts';
export type { Outcome } from './types/verdict.ts';

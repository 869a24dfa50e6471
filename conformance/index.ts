export { checks } from './checks/all.ts';
export type { Check } from './engine/check.ts';
export { type Judged, type JudgeOptions, judge, type Progress } from './engine/judge.ts';
export { applyPolicy, type ExpectedFailure, type Policy } from './engine/policy.ts';
export {
  exitCodes,
  type Implementation,
  type Report,
  type Result,
  type RunVerdict,
} from './engine/report.ts';
export { type Profile, profilesInOrder, profilesOfAll, type Scope } from './engine/scope.ts';
export type { EvidenceEntry } from './engine/transcript.ts';
export type { Outcome } from './engine/verdict.ts';
export { type Journal, openJournal } from './payment/journal.ts';
export { readKeyFile, readKeyText } from './payment/key.ts';
export type { Caps } from './payment/spending.ts';
export { renderBadge } from './report/badge.ts';
export { renderJson } from './report/formats.ts';
export { renderHtml } from './report/html.ts';
export { renderJunit } from './report/junit.ts';
export { renderMarkdown } from './report/markdown.ts';
export { type Colours, renderTree } from './report/tree.ts';

export { checks, notYetCovered } from './checks/all.ts';
export type { Check } from './engine/check.ts';
export { type Judged, type JudgeOptions, judge, type Progress } from './engine/judge.ts';
export { exitCodes, type Report, type Result, type RunVerdict } from './engine/report.ts';
export { type Profile, profilesInOrder, profilesOfAll, type Scope } from './engine/scope.ts';
export type { EvidenceEntry } from './engine/transcript.ts';
export type { Outcome } from './engine/verdict.ts';
export type { Caps } from './payment/budget.ts';
export { type Colours, renderTree } from './report/tree.ts';

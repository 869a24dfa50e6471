import { outcomes } from '../types/verdict.ts';

/** One rule per checkbox: its requirements are shown while it is checked. */
const filterRules = outcomes
  .map(
    (outcome) =>
      `body:has(#show-${outcome}:not(:checked)) :is(.requirement, .cell).${outcome} { display: none; }`,
  )
  .join('\n');

/** Colours for light and dark mode. A mark and a word always repeat the meaning of a colour. */
export const styleSheet = `
:root {
  --ground: #fff; --ink: #1b1f24; --faint: #59636e; --line: #d1d9e0; --panel: #f6f8fa;
  --good: #1a7f37; --bad: #cf222e; --doubt: #9a6700; --seen: #0969da; --none: #818b98;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #30363d; --panel: #161b22;
    --good: #3fb950; --bad: #f85149; --doubt: #d29922; --seen: #4493f8; --none: #656c76;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 70rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.4rem; margin: .5rem 0 1rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; } h4 { font-size: 1rem; font-weight: 400; margin: .8rem 0 .3rem; }
p { margin: .5rem 0; } a { color: var(--seen); } small, footer, .earlier, .scope, .run { color: var(--faint); }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: .875rem; }
dt { color: var(--faint); } dd { margin: 0; }
.verdict { padding: .8rem 1rem; border: 1px solid var(--line); border-left: .4rem solid var(--none); border-radius: .4rem; background: var(--panel); font-size: 1.1rem; }
.verdict strong { display: block; font-size: 1.35rem; line-height: 1.3; }
.verdict.conformant { border-left-color: var(--good); } .verdict.conformant strong { color: var(--good); }
.verdict.non-conformant { border-left-color: var(--bad); } .verdict.non-conformant strong { color: var(--bad); }
.verdict:is(.conformant-with-warnings, .incomplete) { border-left-color: var(--doubt); }
.verdict:is(.conformant-with-warnings, .incomplete) strong { color: var(--doubt); }
.stale, .failure { color: var(--bad); } .expected, .caveat { color: var(--doubt); }
.finding { border: 1px solid var(--line); border-left: .25rem solid var(--none); border-radius: .4rem; padding: .6rem .9rem; margin: .6rem 0; }
.finding:is(.fail, .error) { border-left-color: var(--bad); } .finding.warn { border-left-color: var(--doubt); }
.finding summary small { display: block; margin: .2rem 0 0; }
.label { color: var(--faint); } .quote { border-left: .2rem solid var(--line); padding-left: .8rem; }
.also { margin-top: 1rem; } .finding .exchange summary { color: var(--faint); font-size: .875rem; }
.open li { margin: .6rem 0; } .ids { margin: .2rem 0; font-size: .875rem; line-height: 1.7; }
.legend { list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .5rem 1.5rem; margin: 0 0 1rem; padding: 0; }
.legend li { display: grid; grid-template-columns: auto 1fr; column-gap: .6rem; align-items: center; line-height: 1.3; }
.legend .cell { grid-row: span 2; } .legend small { display: block; }
nav { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; padding: .5rem 0; background: var(--ground); border-bottom: 1px solid var(--line); }
nav .tag { margin: 0; } nav input { margin: 0 .3rem 0 0; }
.tag { display: inline-flex; align-items: center; padding: 0 .6rem; margin-right: .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8rem; white-space: nowrap; color: var(--none); }
.cell { display: inline-block; width: 1.5rem; height: 1.5rem; margin: 1px; border-radius: .2rem; line-height: 1.5rem; text-align: center; text-decoration: none; font-weight: 600; color: var(--ground); background: var(--none); }
.cell.disabled { color: var(--none); background: none; }
.tag.pass { color: var(--good); } .cell.pass { background: var(--good); }
.tag:is(.fail, .error) { color: var(--bad); } .cell:is(.fail, .error) { background: var(--bad); }
.tag:is(.warn, .inconclusive) { color: var(--doubt); } .cell:is(.warn, .inconclusive) { background: var(--doubt); }
.tag.observed { color: var(--seen); } .cell.observed { background: var(--seen); }
.matrix { border-collapse: collapse; width: 100%; }
.matrix th { width: 15rem; text-align: left; font-weight: 400; font-size: .875rem; vertical-align: top; padding: .3rem .8rem .3rem 0; }
.matrix th a { color: inherit; text-decoration: none; }
.matrix td { padding: .1rem 0; }
.matrix tr + tr { border-top: 1px solid var(--line); }
.section { scroll-margin-top: 4rem; }
details.requirement { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .7rem; margin: .3rem 0; }
details.requirement > [id] { scroll-margin-top: 7rem; }
details.requirement:has(> :target) { outline: 2px solid var(--seen); }
summary { cursor: pointer; } summary small { margin-left: .6rem; }
blockquote { margin: .6rem 0; padding-left: .8rem; border-left: .2rem solid var(--line); color: var(--faint); }
pre { margin: .3rem 0 .6rem; padding: .6rem; max-height: 24rem; overflow: auto; white-space: pre-wrap; background: var(--panel); border-radius: .3rem; }
.curl { user-select: all; }
.exchange { margin: .2rem 0; } .exchanged { scroll-margin-top: 7rem; }
footer { margin: 2rem 0 1rem; font-size: .875rem; }
@media (max-width: 40rem) {
  body { padding: .75rem; }
  .matrix :is(th, td) { display: block; width: auto; }
  .matrix td { padding-bottom: .5rem; } .matrix tr + tr td { border: 0; }
  .matrix .cell { width: 2rem; height: 2rem; line-height: 2rem; margin: 2px; }
  .legend { grid-template-columns: 1fr; } nav { position: static; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; }
}
@media print { nav { display: none; } }
${filterRules}
`;

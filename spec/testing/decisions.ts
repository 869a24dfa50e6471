import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Decision = {
  readonly id: string;
  readonly title: string;
  /** From the top of the workspace. */
  readonly file: string;
  readonly text: string;
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files of the decision log, without its index. */
export const decisionFiles: readonly string[] = [
  ...readdirSync(`${root}/spec/decisions`)
    .filter((name) => name !== 'README.md')
    .sort()
    .map((name) => `spec/decisions/${name}`),
  'conformance/decisions.md',
];

/** All entries of the log, in the order of the files. */
export const decisions: readonly Decision[] = decisionFiles.flatMap((file) =>
  readFileSync(`${root}/${file}`, 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [, id = '', title = ''] = /^(\S+) (.*)$/m.exec(text) ?? [];
      return { id, title, file, text };
    }),
);

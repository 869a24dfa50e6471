import ts from 'typescript';

/** A banned word, and the word of the glossary to use instead. */
export type Replacement = { readonly banned: string; readonly use: string };

/** Reads the words of the last column of the glossary's table. */
export function readReplacements(glossary: string): readonly Replacement[] {
  return glossary
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .flatMap((line) => {
      const [, use = '', , banned = ''] = line.split('|').map((cell) => cell.trim());
      return banned === '' ? [] : [{ banned: banned.toLowerCase(), use }];
    });
}

/** Returns one sentence for each name in a source, or in its path, that has a banned word. */
export function findBannedNames(
  { path, text }: { readonly path: string; readonly text: string },
  replacements: readonly Replacement[],
): readonly string[] {
  const names = new Set([...path.split(/[/.]/), ...identifiersIn(path, text)]);
  return [...names].flatMap((name) => {
    const padded = `_${wordsIn(name).join('_')}_`;
    const found = replacements.find(({ banned }) => padded.includes(`_${wordsIn(banned).join('_')}_`));
    return found ? [`${path}: the name "${name}" has the word "${found.banned}"; use "${found.use}".`] : [];
  });
}

function identifiersIn(path: string, text: string): readonly string[] {
  if (path.endsWith('.sql')) return text.replaceAll(/--.*|'[^']*'/g, '').match(/\w+/g) ?? [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

/** Splits a name into words: `relayerLanes` and `relayer-lane` both give `relayer`, `lane`. */
function wordsIn(name: string): readonly string[] {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return words.split(/[^a-z0-9]+/).map((word) => (word.endsWith('ss') ? word : word.replace(/s$/, '')));
}

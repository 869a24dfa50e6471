/** One value of a metric in the text format of Prometheus. */
export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** Reads the values of one metric. */
export function readSamples(text: string, name: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, found, labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return found === name ? [{ labels: readLabels(labels), value: Number(value) }] : [];
  });
}

function readLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value = '']) => [
      name,
      value.replace(/\\(.)/g, '$1'),
    ]),
  );
}

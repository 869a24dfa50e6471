/** One sample of a scrape. */
export type Sample = { readonly name: string; readonly labels: string; readonly value: number };

/** Reads the metrics of a gateway with an admin address. */
export async function scrape(adminUrl: string | null): Promise<readonly Sample[]> {
  const response = await fetch(`${adminUrl}/metrics`);
  if (response.status !== 200) throw new Error(`the scrape got ${response.status}`);
  return parseSamples(await response.text());
}

/** Parses the text format of Prometheus. Throws for a line that is none. */
export function parseSamples(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      const number = Number(value.replace('+Inf', 'Infinity'));
      // prom-client writes `Nan` for the mean of no values.
      if (name === '' || (Number.isNaN(number) && value.toLowerCase() !== 'nan'))
        throw new Error(`no sample: ${line}`);
      return { name, labels, value: number };
    });
}

/** Sums the samples of a metric whose labels contain all of these texts, such as `state="settled"`. */
export function sumOf(samples: readonly Sample[], name: string, ...labels: readonly string[]): number {
  return samples
    .filter((sample) => sample.name === name && labels.every((label) => sample.labels.includes(label)))
    .reduce((sum, { value }) => sum + value, 0);
}

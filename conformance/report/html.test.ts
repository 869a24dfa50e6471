import { beforeAll, describe, expect, it } from 'vitest';
import { type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';
import { elementsOf, readXml, textOf, type XmlElement } from '../testing/xml.ts';
import { byRequirement } from './by-requirement.ts';

let reports: SampleReports;

beforeAll(async () => {
  reports = await sampleReports();
}, 240_000);

describe('HTML', () => {
  it('is one page that loads and runs nothing', () => {
    for (const report of Object.values(reports)) {
      const page = readXml(written('report.html', report));
      for (const name of ['script', 'link', 'img', 'iframe', 'object', 'embed', 'form', 'base']) {
        expect(elementsOf(page, name), name).toEqual([]);
      }
      const [style, ...others] = elementsOf(page, 'style');
      expect(others).toEqual([]);
      expect(style && textOf(style)).not.toMatch(/url\(|@import/);
      const links = elementsOf(page, 'a').map(({ attributes }) => attributes['href'] ?? '');
      expect(links.filter((href) => !href.startsWith('#'))).toEqual(
        report === reports.broken ? ['https://issues.example/7'] : [],
      );
    }
  });

  it('has a cell for each requirement, which leads into its details', () => {
    const page = readXml(written('report.html', reports.broken));
    const cells = elementsOf(page, 'a').filter(({ attributes }) => attributes['class']?.startsWith('cell '));
    const details = elementsOf(page, 'details').flatMap(({ children }) => children.map(idOf));
    const rows = byRequirement(reports.broken);
    expect(cells.map(({ attributes }) => attributes['class'])).toEqual(
      rows.map(({ outcome }) => `cell ${outcome}`),
    );
    for (const { attributes } of cells) expect(details).toContain(attributes['href']?.slice(1));
  });

  it('has a box to filter by, for each outcome that there is', () => {
    const page = readXml(written('report.html', reports.open));
    const boxes = elementsOf(page, 'input').map(({ attributes }) => attributes['id']);
    expect(boxes.sort()).toEqual(
      [...new Set(byRequirement(reports.open).map(({ outcome }) => `show-${outcome}`))].sort(),
    );
    const [style] = elementsOf(page, 'style');
    for (const id of boxes) expect(style && textOf(style)).toContain(`#${id}:not(:checked)`);
  });

  it('shows under a check how to repeat it and what came back', () => {
    const page = readXml(written('report.html', reports.broken));
    const payer = elementsOf(page, 'details').find(({ children }) =>
      children.some((child) => idOf(child) === 'receipt.payer'),
    );
    const text = payer ? textOf(payer) : '';
    expect(text).toContain("curl -i -X POST 'http://127.0.0.1");
    expect(text).toContain('x-payment-response: ');
    expect(text).toContain('<base64 of> {"success":true');
    expect(text).toContain('Expected: names <the> recipient');
  });

  it('has no id twice, and no link to nowhere', () => {
    for (const report of Object.values(reports)) {
      const page = readXml(written('report.html', report));
      const all = [page, ...everyElement(page)];
      const ids = all.flatMap(({ attributes }) => (attributes['id'] === undefined ? [] : [attributes['id']]));
      expect(new Set(ids).size).toBe(ids.length);
      const targets = all
        .flatMap(({ attributes }) => attributes['href'] ?? [])
        .filter((href) => href.startsWith('#'));
      expect(targets.filter((href) => !ids.includes(href.slice(1)))).toEqual([]);
    }
  });
});

function idOf(child: XmlElement['children'][number]): string | undefined {
  return typeof child === 'string' ? undefined : child.attributes['id'];
}

function everyElement(of: XmlElement): readonly XmlElement[] {
  return of.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...everyElement(child)]));
}

import { beforeAll, describe, expect, it } from 'vitest';
import { type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';
import { listElements, readText, readXml, type XmlElement } from '../testing/xml.ts';
import { byRequirement } from './by-requirement.ts';

let reports: SampleReports;

beforeAll(async () => {
  reports = await sampleReports();
}, 240_000);

describe('HTML', () => {
  it('is one page without scripts and external resources', () => {
    for (const report of Object.values(reports)) {
      const page = readXml(written('report.html', report));
      for (const name of ['script', 'link', 'img', 'iframe', 'object', 'embed', 'form', 'base']) {
        expect(listElements(page, name), name).toEqual([]);
      }
      const [style, ...others] = listElements(page, 'style');
      expect(others).toEqual([]);
      expect(style && readText(style)).not.toMatch(/url\(|@import/);
      const links = listElements(page, 'a').map(({ attributes }) => attributes['href'] ?? '');
      expect(links.filter((href) => !href.startsWith('#'))).toEqual(
        report === reports.broken ? ['https://issues.example/7'] : [],
      );
    }
  });

  it('has a cell for each requirement with a link to its details', () => {
    const page = readXml(written('report.html', reports.broken));
    const cells = listElements(page, 'a').filter(({ attributes }) =>
      attributes['class']?.startsWith('cell '),
    );
    const details = listElements(page, 'details').flatMap(({ children }) => children.map(readId));
    const rows = byRequirement(reports.broken);
    expect(cells.map(({ attributes }) => attributes['class'])).toEqual(
      rows.map(({ outcome }) => `cell ${outcome}`),
    );
    for (const { attributes } of cells) expect(details).toContain(attributes['href']?.slice(1));
  });

  it('has a filter checkbox for each outcome that occurs', () => {
    const page = readXml(written('report.html', reports.open));
    const boxes = listElements(page, 'input').map(({ attributes }) => attributes['id']);
    expect(boxes.sort()).toEqual(
      [...new Set(byRequirement(reports.open).map(({ outcome }) => `show-${outcome}`))].sort(),
    );
    const [style] = listElements(page, 'style');
    for (const id of boxes) expect(style && readText(style)).toContain(`#${id}:not(:checked)`);
  });

  it('shows the curl line and the response of a check', () => {
    const page = readXml(written('report.html', reports.broken));
    const payer = listElements(page, 'details').find(({ children }) =>
      children.some((child) => readId(child) === 'receipt.payer'),
    );
    const text = payer ? readText(payer) : '';
    expect(text).toContain("curl -i -X POST 'http://127.0.0.1");
    expect(text).toContain('x-payment-response: ');
    expect(text).toContain('<base64 of> {"success":true');
    expect(text).toContain('Expected: names <the> recipient');
  });

  it('has unique ids and no broken links', () => {
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

function readId(child: XmlElement['children'][number]): string | undefined {
  return typeof child === 'string' ? undefined : child.attributes['id'];
}

function everyElement(of: XmlElement): readonly XmlElement[] {
  return of.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...everyElement(child)]));
}

import { html } from '@remix-run/html-template';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { money, span } from './parts.ts';
import { actionsHeading, csvOf, linksOf, table, type Table } from './table.ts';

const path = '/ops/here';
const rows = Array.from({ length: 250 }, (_, at) => [`name ${at + 1}`, span((249 - at) * 40)]);
const long: Table = { caption: 'Things', head: ['Name', 'Due for'], rows, empty: 'None.' };

describe('a table', () => {
  const cellsAt = (query: Readonly<Record<string, string>>, name?: string): string[] => {
    const text = String(table(long, { path, query, ...(name !== undefined && { name }) }));
    return [...text.matchAll(/<td [^>]*>(name \d+)<\/td>/g)].map(([, cell = '']) => cell);
  };

  it('shows a hundred rows per page, and links to the other pages', () => {
    expect(cellsAt({})).to.have.lengthOf(100);
    expect(cellsAt({ page: '3' }))
      .to.have.lengthOf(50)
      .and.to.include('name 250');
    for (const page of ['4', '999999', '0', '-1', 'x'])
      expect(cellsAt({ page }), page).to.include(page.startsWith('4') || page.startsWith('9') ? 'name 250' : 'name 1');
    const links = linksOf(long, { path, query: { page: '2', state: 'on' } })
      .map(String)
      .join(' ');
    expect(links)
      .to.contain('101 to 200 of 250')
      .and.to.contain('href="/ops/here?page=1&amp;state=on"')
      .and.to.contain('href="/ops/here?page=3&amp;state=on"')
      .and.to.contain('page=2&amp;state=on&amp;as=csv');
  });

  it('sorts all rows, by the values of the cells', () => {
    expect(cellsAt({ sort: '-name' })[0]).to.equal('name 250');
    // The last row has the shortest time; '2 min' is longer than '80 s'.
    expect(cellsAt({ sort: 'due-for' }).slice(0, 3)).to.deep.equal(['name 250', 'name 249', 'name 248']);
    expect(cellsAt({ sort: '-due-for' })[0]).to.equal('name 1');
  });

  it('returns to the first page for a new sort order', () => {
    expect(String(table(long, { path, query: { page: '3' } }))).to.contain('href="/ops/here?sort=name"');
  });

  it('reads only the parameters with its own name if a page has several tables', () => {
    expect(cellsAt({ 'other.sort': '-name', 'other.page': '2' }, 'things')[0]).to.equal('name 1');
    expect(cellsAt({ 'things.sort': '-name' }, 'things')[0]).to.equal('name 250');
    const text = String(table(long, { path, query: { 'other.page': '2' }, name: 'things' }));
    expect(text).to.contain('href="/ops/here?other.page=2&amp;things.sort=name#table-things"');
    const links = linksOf(long, { path, query: {}, name: 'things' }).map(String).join(' ');
    expect(links).to.contain('as=csv&amp;table=things').and.to.contain('aria-label="CSV: Things"');
  });

  it('keeps a column whose text looks like a form, and exports no column of buttons', () => {
    const head = ['Reference', actionsHeading];
    const written: Table = { caption: 'Payments', head, rows: [['<form', html`<form></form>`]], empty: '' };
    const shown = String(table(written, { path, query: {} }));
    expect(shown).to.contain('?sort=reference').and.not.to.contain('?sort=actions');
    expect(csvOf(written, undefined)).to.equal('"Reference"\r\n"<form"\r\n');
    // A viewer without permission to act has no buttons.
    expect(String(table({ ...written, rows: [['GW-1', null]] }, { path, query: {} }))).not.to.contain(actionsHeading);
    expect(shown).to.contain(actionsHeading);
    expect(csvOf({ ...written, rows: [['GW-1', null]] }, undefined)).to.equal('"Reference"\r\n"GW-1"\r\n');
  });

  it('aligns numbers, durations and amounts to the right, unless the column says otherwise', () => {
    const head = ['Name', 'Count', 'Due for', 'Amount', { name: 'Id', kind: 'short' }, 'Mixed'] as const;
    const amounts: Table = {
      caption: 'Amounts',
      head,
      rows: [
        ['a', 1, span(90), money('59', 'EUR'), 7, 1],
        ['b', '–', '–', money('100', 'EUR'), 8, 'two'],
      ],
      empty: '',
    };
    const text = String(table(amounts, { path, query: { sort: '-amount' } }));
    const looks = [...text.matchAll(/<th scope="col"(?: aria-sort="\w+")? (?:class="(\w+)")?/g)].map(
      ([, look]) => look,
    );
    expect(looks).to.deep.equal([undefined, 'number', 'number', 'number', 'short', undefined]);
    expect(text).to.contain('<td data-label="Count" class="number nothing">–</td>');
    // Amounts are sorted by value: 100 is more than 59.
    expect([...text.matchAll(/data-label="Name">(\w)/g)].map(([, name]) => name)).to.deep.equal(['b', 'a']);
    expect(csvOf(amounts, undefined)).to.contain('"Amount","Id"').and.to.contain('"€59.00"');
  });

  it('exports no formula, whatever character a cell starts with', () => {
    const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'a=1', '–', -5];
    const text = csvOf({ caption: '', head: ['Text'], rows: cells.map((cell) => [cell]), empty: '' }, undefined);
    expect(text.split('\r\n').slice(1, -1)).to.deep.equal([
      `"'=1+1"`,
      `"'+1"`,
      `"'-1"`,
      `"'@SUM(A1)"`,
      `"'=1"`,
      '"a=1"',
      '""',
      '-5',
    ]);
  });

  it('exports all rows, and has no links if it is empty', () => {
    const lines = csvOf(long, '-name').trim().split('\r\n');
    expect([lines.length, lines[0], lines[1]]).to.deep.equal([251, '"Name","Due for"', '"name 250",""']);
    const none = { ...long, rows: [] };
    expect([String(table(none)), linksOf(none, { path, query: {} })]).to.deep.equal([
      String(html`<p class="empty">None.</p>`),
      [],
    ]);
  });
});

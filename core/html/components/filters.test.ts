import { expect } from 'chai';
import { describe, it } from 'mocha';
import { filters, readPeriod, type Filters } from './filters.ts';

const path = '/ops/payments';
const shown: Omit<Filters, 'query'> = {
  path,
  fields: [
    { name: 'text', label: 'Search', type: 'search' },
    { name: 'status', label: 'Status', options: ['paid', 'failed'], textOf: (status) => status.toUpperCase() },
    { name: 'amount', label: 'Amount', isRare: true },
  ],
  period: { label: 'Created' },
  kept: ['view'],
};
const render = (query: Filters['query']): string => String(filters({ ...shown, query }));

describe('filters', () => {
  it('shows no chips if no filter is active, and folds the rare fields', () => {
    const text = render({ cursor: 'c', view: 'open' });
    expect(text).not.to.contain('class="chips"');
    expect(text)
      .to.match(/<details class="more" *>/)
      .and.to.contain('name="view" value="open"');
  });

  it('removes one filter with its chip, and all of them but not the view', () => {
    const text = render({ status: 'paid', text: 'a&b', view: 'open', cursor: 'c', period: 'today' });
    expect(text)
      .to.contain('href="/ops/payments?text=a%26b&amp;view=open&amp;period=today" aria-label="Remove Status: PAID"')
      .and.to.contain('aria-label="Remove Search: a&amp;b"')
      .and.to.contain('aria-label="Remove Created: Today"')
      .and.to.contain('<a href="/ops/payments?view=open">Clear all</a>');
  });

  it('keeps the filters in a preset, and opens rare fields that are used', () => {
    const text = render({ amount: '59', from: '2026-01-01T00:00', period: 'today' });
    expect(text)
      .to.contain('<a href="/ops/payments?amount=59&amp;period=7d">7 days</a>')
      .and.to.match(/<details class="more" open>/);
    // Typed times win over the preset.
    expect(text).not.to.contain('aria-current');
    expect(render({ period: 'today' })).to.contain('aria-current="true">Today<');
  });
});

describe('readPeriod', () => {
  const now = new Date('2026-01-31T12:34:56Z');
  const spanOf = (query: Filters['query']): (string | undefined)[] | null => {
    const read = readPeriod(query, now);
    return read && [read.from?.toISOString(), read.to?.toISOString()];
  };

  for (const [period, from, to] of [
    ['today', '2026-01-31T00:00:00.000Z', undefined],
    ['yesterday', '2026-01-30T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
    ['7d', '2026-01-25T00:00:00.000Z', undefined],
    ['30d', '2026-01-02T00:00:00.000Z', undefined],
    ['toString', undefined, undefined],
  ] as const) {
    it(`reads ${period} as days of UTC`, () => {
      expect(spanOf({ period })).to.deep.equal([from, to]);
    });
  }

  it('prefers typed times, and refuses what is not a time', () => {
    const typed = { period: 'today', from: '2026-01-01T00:00' };
    expect(spanOf(typed)).to.deep.equal(['2026-01-01T00:00:00.000Z', undefined]);
    expect(spanOf({ to: 'tomorrow' })).to.equal(null);
  });
});

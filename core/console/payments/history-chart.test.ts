import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { HistoryEntry } from '../../engine/payments/index.ts';
import { historyChart } from './history-chart.ts';

const begin = Date.UTC(2026, 0, 2, 3, 4, 5);
const after = (ms: number): Date => new Date(begin + ms);

function entry(kind: HistoryEntry['kind'], about: string, ms: number, more: Partial<HistoryEntry> = {}): HistoryEntry {
  return { at: after(ms), kind, about, text: `${kind} of ${about}`, look: 'calm', ...more };
}

const history: readonly HistoryEntry[] = [
  entry('attempt', 'GW-1-1', 0, { look: 'good', span: { from: after(0), to: after(2000) } }),
  entry('call', 'GW-1-1', 100, { span: { from: after(100), to: after(600) } }),
  entry('callback', 'c1', 2000),
  entry('notification', '1-1', 2000),
  entry('delivery', '1-1', 3_602_000),
];

const positionsIn = (text: string, shape: RegExp): readonly number[] =>
  [...text.matchAll(shape)].map(([, position]) => Number(position));

describe('historyChart', () => {
  it('draws a lane for each attempt, its calls, each callback and each notification', () => {
    const text = String(historyChart(history));
    expect(
      [...text.matchAll(/<title>([^<]*)<\/title>(?!<\/(?:circle|rect))/g)].map(([, name]) => name),
    ).to.include.members(['GW-1-1', 'calls of GW-1-1', 'callback c1', 'notification 1-1']);
    expect(text.match(/class="lane"/g)).to.have.lengthOf(4);
    expect(text).to.contain('over 1 h: the table has the same data');
  });

  it('keeps the order of time, and draws a long gap wider than a short one but not to scale', () => {
    const text = String(historyChart(history));
    const [callback = 0, , delivery = 0] = positionsIn(text, /<circle cx="([\d.]+)"/g);
    const [attempt = 0] = positionsIn(text, /<rect\s+x="([\d.]+)"/g);
    expect(attempt).to.be.lessThan(callback).and.lessThan(delivery);
    expect(delivery - callback).to.be.greaterThan((callback - attempt) / 4);
    expect(delivery - callback).to.be.lessThan(100 * (callback - attempt));
  });

  it('draws times that do not overlap, the first with its time zone', () => {
    const text = String(historyChart(history));
    const ticks = [...text.matchAll(/<text x="([\d.]+)" y="[\d.]+" class="when" [^>]*>([^<]*)</g)];
    expect(ticks[0]?.[2]).to.equal('03:04:05 UTC');
    // The script shows the reader's time.
    expect(text).to.contain('data-clock="2026-01-02T03:04:05.000Z">03:04:05 UTC<');
    expect(ticks.at(-1)?.[2]).to.equal('+1 h');
    const positions = ticks.map(([, position]) => Number(position));
    for (const [index, position] of positions.entries())
      if (index > 0) expect(position - positions[index - 1]!).to.be.at.least(84);
  });

  it('draws an unfinished entry up to the end, and only the first 40 lanes', () => {
    const open = entry('attempt', 'GW-1-2', 0, { span: { from: after(0), to: null } });
    const text = String(historyChart([open, entry('callback', 'c2', 5000)]));
    expect(text).to.contain('class="calm open"');
    const many = Array.from({ length: 45 }, (_, index) => entry('callback', `c${index}`, index));
    expect(String(historyChart(many))).to.contain('5 more rows are only in the table.');
  });

  it('draws nothing for a single entry', () => {
    expect(historyChart([history[0]!])).to.equal(null);
  });
});

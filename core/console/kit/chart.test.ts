import { expect } from 'chai';
import { describe, it } from 'mocha';
import { chart, type Chart } from './chart.ts';

const at = Array.from({ length: 60 }, (_, minute) => new Date(Date.UTC(2026, 0, 2, 11, 50 + minute)));
const counts: Chart = {
  label: 'Callbacks per minute',
  at,
  series: [{ name: 'Callbacks', values: at.map((_, minute) => (minute === 59 ? 105 : minute % 2)) }],
  textOf: String,
  isBars: true,
};

function textsOf(shown: Chart, look: string): readonly string[] {
  return [...String(chart(shown)).matchAll(new RegExp(`class="${look}"[^>]*>(.*?)</text`, 'gs'))].map(([, text = '']) =>
    text.replaceAll(/<[^>]*>/g, '').trim(),
  );
}

describe('chart', () => {
  it('draws a scale above the largest value, a time for each quarter of an hour, and the time zone', () => {
    expect(textsOf(counts, 'value')).to.deep.equal(['0', '60', '120', 'UTC']);
    expect(textsOf(counts, 'when')).to.deep.equal(['12:00', '12:15', '12:30', '12:45']);
    const none: Chart = { ...counts, series: [{ name: '', values: at.map(() => 0) }] };
    expect(textsOf(none, 'value')).to.deep.equal(['0', '1', 'UTC']);
    expect(textsOf({ ...none, textOf: (value) => `${Math.round(value)} s` }, 'value')).to.deep.equal([
      '0 s',
      '1 s',
      'UTC',
    ]);
  });

  it('shows the values of each minute at the pointer, and describes the latest values in its label', () => {
    const said = textsOf(counts, 'said');
    expect([said.length, said[0], said[59]]).to.deep.equal([60, '11:50 UTC: 0', '12:49 UTC: 105']);
    expect(String(chart(counts))).to.contain(
      'aria-label="Callbacks per minute, the last 60 minutes, 0 to 120: latest Callbacks 105"',
    );
  });

  it('draws a bar as tall as its value, and no bar for zero', () => {
    const bars = [...String(chart(counts)).matchAll(/height="([\d.]+)"\s+class="bar"/g)].map(([, tall]) =>
      Number(tall),
    );
    expect(bars).to.have.lengthOf(30);
    expect(bars.at(-1)).to.be.closeTo((90 * 105) / 120, 0.1);
    // A value of 1 next to 105 is still visible.
    expect(bars[0]).to.equal(2);
  });

  it('draws a line for each provider, with a gap where the value is unknown, and a legend', () => {
    const values = at.map((_, minute) => (minute === 1 || minute > 2 ? undefined : 0.5));
    const names = ['a', 'b', '<i>'];
    const rates: Chart = {
      label: 'Success rate',
      at,
      series: names.map((name) => ({ name, values })),
      textOf: (value) => `${value * 100} %`,
      top: 1,
    };
    const text = String(chart(rates));
    const [, path = ''] = /<path d="([^"]*)" class="line look-0"/.exec(text) ?? [];
    expect(path).to.match(/^M[\d. ]+h0M[\d. ]+h0$/);
    expect(textsOf(rates, 'value')).to.deep.equal(['0 %', '50 %', '100 %', 'UTC']);
    expect(textsOf(rates, 'said').slice(0, 4)).to.deep.equal([
      '11:50 UTC: a 50 %, b 50 %',
      '&lt;i&gt; 50 %',
      '11:51 UTC: a –, b –',
      '&lt;i&gt; –',
    ]);
    expect(text).to.match(/<ul class="legend">[\s\S]*look-2[\s\S]*&lt;i&gt;/);
  });
});

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hash } from '../../index.ts';
import { choicePage, messagePage, returnForm, type Reply, type SandboxRequest } from '../index.ts';

const markup = `"><img src=x onerror=alert(1)>'&amp;`;
const escaped = '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;amp;';
const browser = { headers: [['Accept', 'text/html']] } as unknown as SandboxRequest;

const textOf = ({ body }: Reply): string => String(body);

/** What the page's policy allows to run or to draw, each by the digest of its text. */
function digestsOf(page: string, tag: 'script' | 'style'): string[] {
  return [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(
    ([, source = '']) => `${tag}-src 'sha256-${hash('sha256', source).toString('base64')}'`,
  );
}

describe('the pages of a sandbox', () => {
  const summary = { money: { amount: '1200', currency: markup }, shop: markup, reference: markup };
  const everyField = choicePage({
    title: markup,
    action: markup,
    name: markup,
    values: [markup],
    hidden: { [markup]: markup },
    inputs: { [markup]: markup, other: '' },
    labels: { other: markup },
    text: markup,
    summary,
  });

  for (const [name, page, count] of [
    ['a choice', everyField, 16],
    ['a message', messagePage(404, markup), 2],
    ['the way back', returnForm(browser, markup, { [markup]: markup }), 3],
  ] as const) {
    it(`escape every field: ${name}`, () => {
      expect(textOf(page)).not.to.contain('<img');
      expect(textOf(page).split(escaped)).to.have.length(count + 1);
    });

    it(`say that this is a sandbox, and load and run nothing from other hosts: ${name}`, () => {
      expect(textOf(page)).to.contain('<strong>SANDBOX</strong>');
      const policy = page.headers?.['Content-Security-Policy'] ?? '';
      const [styles, scripts] = [digestsOf(textOf(page), 'style'), digestsOf(textOf(page), 'script')];
      expect(policy.split('; ')).to.have.members(["default-src 'none'", "base-uri 'none'", ...styles, ...scripts]);
      expect([styles.length, scripts.length]).to.deep.equal([1, name === 'the way back' ? 1 : 0]);
    });
  }

  it('show amount, account and payment', () => {
    const known = { money: { amount: '1200', currency: 'EUR' }, shop: 'Shoes & Co', reference: 'GW-1-1' };
    const shared = { title: 'Pay', action: '/pay', name: 'choice', values: ['pass'] };
    expect(textOf(choicePage({ ...shared, summary: known })))
      .to.contain('€1,200.00')
      .and.contain('<dd>Shoes &amp; Co</dd>')
      .and.contain('<dd>GW-1-1</dd>');
    const { money, ...others } = known;
    expect(textOf(choicePage({ ...shared, summary: others }))).not.to.contain(money.amount);
  });

  it('lead back by a button if no script runs', () => {
    const page = textOf(returnForm(browser, 'https://shop.example/3ds', { cres: 'abc' }));
    expect(page).to.match(/<form id="return"[^]*<button type="submit">Continue<\/button>\s*<\/form>/);
  });
});

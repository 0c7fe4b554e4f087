import { brands, type Brand, type PayerField, type PaymentMethod, type Way } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRegistry } from '../../providers/registry.ts';
import { fakeActive, fakeOptions, type FakeChanges } from '../../providers/testing/fake-adapter.ts';
import { createPayerWays } from './payer-ways.ts';
import type { RiskRule } from './risk.ts';
import type { RouteRule } from './routing.ts';

const order = { unit: 'EUR', amount: '25.90', sandbox: true };
const way = (method: PaymentMethod, payerFields: readonly PayerField[] = [], more: Partial<Way> = {}): Way => {
  return { method, title: method, threeDs: 'by_other_means', payerFields, ...more };
};
const rule = (members: Partial<RouteRule> = {}): RouteRule => {
  return { id: 1, when: {}, use: ['first'], fallback: false, ...members };
};
const cards: FakeChanges = { manifest: { ways: [way('card', ['name', 'city'])] } };

/** The ways to pay at these adapters (by name). */
function waysOf(
  adapters: Record<string, FakeChanges>,
  rules = [rule()],
  risk: readonly RiskRule[] = [],
  country?: string,
  refusesCards = false,
) {
  const actives = Object.entries(adapters).map(([name, changes], at) =>
    fakeActive({ ...changes, manifest: { name, title: `The ${name}`, code: 41 + at, ...changes.manifest } }),
  );
  return createPayerWays({
    rules,
    risk,
    registry: createRegistry(actives),
    openCurrencies: {},
    refusesCards,
    calls: {
      methodOf: ({ adapter, options }, payment) =>
        adapter.methodOf?.(payment, options) ?? adapter.manifest.ways[0].method,
    },
  }).of(order, country);
}
const idsOf = (...args: Parameters<typeof waysOf>): string[] => waysOf(...args).map(({ id }) => id);

describe('createPayerWays', () => {
  const upi: FakeChanges = {
    manifest: {
      inputs: ['upi', 'billing'],
      ways: [way('upi_collect'), way('upi_intent'), way('upi_qr'), way('hosted_page')],
    },
    adapter: {
      methodOf: ({ input, upiId }) => {
        if (input !== 'upi') return 'hosted_page';
        return upiId === 'intent@gw' ? 'upi_intent' : upiId === 'qr@gw' ? 'upi_qr' : 'upi_collect';
      },
    },
  };
  const coins = (coin: string): FakeChanges => ({
    manifest: { inputs: ['billing'], ways: [way('crypto', ['email'])], coin: () => coin },
  });

  it('lists what each provider offers, with one way per provider page and per coin', () => {
    const rules = [rule({ use: ['bitcoin', 'first', 'india', 'litecoin'] })];
    const adapters = { first: cards, india: upi, bitcoin: coins('BTC'), litecoin: coins('LTC') };
    expect(
      waysOf(adapters, rules).map(({ id, kind, instrument, title }) => [id, kind, instrument, title]),
    ).to.deep.equal([
      ['card', 'card', 'card', 'The first'],
      ['upi_intent', 'upi', null, 'The india'],
      ['upi_qr', 'upi', null, 'The india'],
      ['upi_collect', 'upi', 'upiId', 'The india'],
      ['hosted_page.india', 'billing', null, 'The india'],
      ['crypto.BTC', 'billing', null, 'The bitcoin'],
      ['crypto.LTC', 'billing', null, 'The litecoin'],
    ]);
  });

  it('lists only ways that a rule allows by method, amount, currency and mode, at providers that accept payments', () => {
    const when = (members: RouteRule['when']) => idsOf({ first: upi }, [rule({ when: members })]);
    expect(when({ method: ['upi_qr'] })).to.deep.equal(['upi_qr']);
    for (const members of [
      { method: ['card' as const] },
      { amountTo: '25' },
      { currency: ['INR'] },
      { isSandbox: false },
    ])
      expect(when(members), JSON.stringify(members)).to.deep.equal([]);
    for (const change of [
      { state: 'draining' },
      { takesTestPayments: false },
      { manifest: { currencies: ['JPY'] } },
    ] as const)
      expect(idsOf({ first: change })).to.deep.equal([]);
  });

  it('asks for the fields of every provider that may get the payment, and of no other provider', () => {
    const bank: FakeChanges = { manifest: { ways: [way('card', ['email'])] } };
    const fields = (...rules: RouteRule[]) => waysOf({ first: cards, bank }, rules)[0]!.fields;
    expect(fields(rule(), rule({ use: ['bank'] }))).to.deep.equal(['name', 'city']);
    expect(fields(rule({ use: ['bank', 'first'], fallback: true }))).to.deep.equal(['name', 'email', 'city']);
    expect(fields(rule({ when: { bin: ['4'] } }), rule({ use: ['bank'] }))).to.deep.equal(['name', 'email', 'city']);
    const abroad = [rule({ when: { country: ['pt'] } }), rule({ use: ['bank'] })];
    expect(fields(...abroad)).to.deep.equal(['name', 'email', 'city', 'country']);
    expect(waysOf({ first: cards, bank }, abroad, [], 'DE')[0]!.fields).to.deep.equal(['email']);
  });

  it('asks for the fields that a risk rule or the provider needs', () => {
    const risk = (members: Partial<RiskRule>): RiskRule => ({
      id: 1,
      when: {},
      action: 'deny',
      reason: 'r',
      ...members,
    });
    const first: FakeChanges = { manifest: { ways: [way('card')] } };
    const byEmail = risk({ velocity: { by: 'email', max: 3, windowMinutes: 60 } });
    expect(waysOf({ first }, [rule()], [byEmail, risk({ when: { country: ['PT'] } })])[0]!.fields).to.deep.equal([
      'email',
      'country',
    ]);
    expect(waysOf({ first }, [rule()], [risk({ ...byEmail, when: { method: ['crypto'] } })])[0]!.fields).to.deep.equal(
      [],
    );
    const local: FakeChanges = { manifest: { ...first.manifest, countries: ['PT'] } };
    expect(waysOf({ first: local })[0]!.fields).to.deep.equal(['country']);
  });

  it('asks for no card that the payer enters at the provider, unless the adapter needs the card', () => {
    const page = (more: Partial<Way>, inputs: readonly ['card'] | readonly ['card', 'billing'] = ['card']) =>
      waysOf({ first: { manifest: { inputs, ways: [way('hosted_page', [], more)] } } }).map(
        ({ id, kind, instrument }) => [id, kind, instrument],
      );
    expect(page({})).to.deep.equal([['hosted_page.first', 'card', 'card']]);
    expect(page({ withoutCard: true })).to.deep.equal([['hosted_page.first', 'card', null]]);
    expect(page({}, ['card', 'billing'])).to.deep.equal([['hosted_page.first', 'billing', null]]);
  });

  it('offers no way on which the payer types a card here if the service accepts no card data', () => {
    const refusing = (first: FakeChanges) => idsOf({ first }, [rule()], [], undefined, true);
    const page = (more: Partial<Way>): FakeChanges => ({ manifest: { ways: [way('hosted_page', [], more)] } });
    expect(refusing(cards)).to.deep.equal([]);
    expect(refusing(page({}))).to.deep.equal([]);
    expect(refusing(page({ withoutCard: true }))).to.deep.equal(['hosted_page.first']);
    const both: FakeChanges = {
      manifest: { inputs: ['card', 'billing'], ways: [way('card'), way('hosted_page')] },
      adapter: { methodOf: ({ input }) => (input === 'card' ? 'card' : 'hosted_page') },
    };
    expect(idsOf({ first: both })).to.deep.equal(['card', 'hosted_page.first']);
    expect(refusing(both)).to.deep.equal(['hosted_page.first']);
    expect(refusing(upi)).to.deep.equal(['upi_intent', 'upi_qr', 'upi_collect', 'hosted_page.first']);
  });

  it('uses the coin of the sandbox for a test payment', () => {
    const coin = (options: unknown): string => (options === fakeOptions ? 'BTC' : 'tBTC');
    const first: FakeChanges = {
      sandboxOptions: { ...fakeOptions, baseUrl: 'https://test.example' },
      manifest: { inputs: ['billing'], ways: [way('crypto')], coin },
    };
    expect(idsOf({ first })).to.deep.equal(['crypto.tBTC']);
  });

  it('says how the page names a way: by the operator’s title, by titles of the manifest, by its brands, or by its title', () => {
    const { visa, mastercard } = brands;
    const page = (more: Partial<Way>, manifest: FakeChanges['manifest'] = {}): FakeChanges => ({
      manifest: { inputs: ['billing'], ways: [way('hosted_page', [], more)], ...manifest },
    });
    const lookOf = (changes: FakeChanges) => {
      const [found] = waysOf({ first: changes });
      const { title, names, leadsTo, brands: shown } = found!;
      return { title, names, leadsTo, brands: shown?.map(({ name }) => name) };
    };
    const none = { title: 'The first', names: { '': 'hosted_page' }, leadsTo: undefined, brands: undefined };
    expect(lookOf(page({}))).to.deep.equal(none);
    expect(lookOf(page({ titles: { de: 'Karte' }, leadsTo: 'Acme' }))).to.deep.equal({
      ...none,
      names: { '': 'hosted_page', de: 'Karte' },
      leadsTo: 'Acme',
    });
    const branded = page({}, { brands: () => ({ hosted_page: [visa, mastercard] }) });
    const byBrands = { ...none, names: undefined, brands: ['Visa', 'Mastercard'] };
    expect(lookOf(branded)).to.deep.equal(byBrands);
    expect(lookOf({ ...branded, brands: ['Mastercard'] })).to.deep.equal({ ...byBrands, brands: ['Mastercard'] });
    expect(lookOf({ ...branded, title: 'Pay here' })).to.deep.equal({ ...byBrands, names: { '': 'Pay here' } });
    expect(lookOf({ ...branded, title: { de: 'Hier', en: 'Here' } }).names).to.deep.equal({
      '': 'Here',
      de: 'Hier',
      en: 'Here',
    });
  });

  it('shows the brands that some provider of a way accepts, each once', () => {
    const accepting = (...accepted: readonly Brand[]): FakeChanges => ({
      manifest: { ...cards.manifest, brands: { card: accepted } },
    });
    const { visa, mastercard, jcb } = brands;
    const rules = [rule({ use: ['first', 'second'] })];
    const [found] = waysOf({ first: accepting(visa, jcb), second: accepting(mastercard, visa) }, rules);
    expect(found?.brands?.map(({ name }) => name)).to.deep.equal(['Visa', 'JCB', 'Mastercard']);
    expect(found?.brands?.[0]?.picture).to.match(/^[0-9a-f]{16}\.svg$/);
  });
});

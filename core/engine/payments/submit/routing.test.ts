import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRegistry } from '../../providers/registry.ts';
import { fakeActive, type FakeChanges } from '../../providers/testing/fake-adapter.ts';
import type { PayerInput } from '../types/input.ts';
import { cardInput } from '../testing/setup.ts';
import { createRouting, matches, type RouteFacts, type RouteRule, type RoutingDeps } from './routing.ts';

const facts: RouteFacts = { unit: 'EUR', amount: '25.90', sandbox: true, input: cardInput() };
const rule = (members: Partial<RouteRule> = {}): RouteRule => {
  return { id: 1, when: {}, use: ['first'], fallback: false, ...members };
};
const adapter = (name: string, code: number, changes: FakeChanges = {}) =>
  fakeActive({ ...changes, manifest: { name, code, ...changes.manifest } });

function routing(
  rules: readonly RouteRule[],
  first: FakeChanges = {},
  openCurrencies: Record<string, string[]> = {},
  refusesCards = false,
) {
  const registry = createRegistry([adapter('first', 41, first), adapter('second', 42)]);
  const calls: RoutingDeps['calls'] = { methodOf: ({ adapter: { manifest } }) => manifest.ways[0].method };
  return createRouting({ rules, registry, openCurrencies, calls, refusesCards });
}

describe('createRouting', () => {
  const both = rule({ use: ['first', 'second'] });

  it('chooses the first rule that matches and has a provider', () => {
    const rules = [rule({ id: 1, when: { currency: ['USD'] } }), rule({ id: 2, use: ['second'] }), rule({ id: 3 })];
    expect(routing(rules).choose(facts)?.ruleId).to.equal(2);
    const off = [rule({ id: 1 }), rule({ id: 2, use: ['second'] })];
    expect(routing(off, { state: 'off' }).choose(facts)?.ruleId).to.equal(2);
  });

  it('continues with the next provider only for a rule with a fallback', () => {
    const names = (fallback: boolean) =>
      routing([{ ...both, fallback }])
        .choose(facts)
        ?.candidates.map(({ active }) => active.name);
    expect(names(true)).to.deep.equal(['first', 'second']);
    expect(names(false)).to.deep.equal(['first']);
  });

  it('chooses a provider without test payments for live payments only', () => {
    const live = routing([rule()], { takesTestPayments: false });
    expect(live.choose({ ...facts, sandbox: false })?.candidates[0].active.name).to.equal('first');
    expect(live.hasWay('card', { unit: 'EUR', amount: '25.90', sandbox: false })).to.equal(true);
    expect(live.hasWay('card', { unit: 'EUR', amount: '25.90', sandbox: true })).to.equal(false);
  });

  it('returns the amount in the charged currency', () => {
    expect(routing([both]).choose(facts)?.candidates[0].money).to.deep.equal({ amount: '25.90', currency: 'EUR' });
  });

  for (const [what, change, why] of [
    ['is off', { state: 'off' }, /^first accepts no payments: it is off$/],
    ['is draining', { state: 'draining' }, /^first accepts no payments: it is draining$/],
    ['accepts no test payments', { takesTestPayments: false }, /^first accepts no test payments$/],
    ['takes other input', { manifest: { inputs: ['upi'] } }, /^first takes no card input$/],
    ['lacks the currency', { manifest: { currencies: ['JPY'] } }, /^first unit: /],
    ['lacks the country', { manifest: { countries: ['IN'] } }, /^first country: /],
  ] as const satisfies readonly (readonly [string, FakeChanges, RegExp])[]) {
    it(`skips a provider that ${what}, and returns the reason`, () => {
      const skipped: string[] = [];
      const chosen = routing([both], change).choose(facts, (one) => skipped.push(`${one.adapter} ${one.why}`));
      expect(chosen?.candidates.map(({ active }) => active.name)).to.deep.equal(['second']);
      expect(skipped).to.have.length(1);
      expect(skipped[0]).to.match(why);
    });
  }

  it('skips a provider whose way has no 3D Secure if it is demanded', () => {
    const ways = (threeDs: 'enforced' | 'by_other_means' | 'unsupported') => {
      return { manifest: { ways: [{ method: 'card', title: 'Card', threeDs, payerFields: [] }] } } as const;
    };
    const chosen = (first: FakeChanges, is3ds: boolean) =>
      routing([rule()], first).choose({ ...facts, input: cardInput({ is3ds }) })?.candidates[0].active.name;
    expect(chosen(ways('unsupported'), true)).to.equal(undefined);
    expect(chosen(ways('unsupported'), false)).to.equal('first');
    expect(chosen(ways('enforced'), true)).to.equal('first');
    expect(chosen(ways('by_other_means'), true)).to.equal('first');
  });

  it('chooses only the way that the payer chose, and skips a provider that needs more fields of the payer', () => {
    const rules = [rule({ use: ['first', 'second'] })];
    const first = (change: FakeChanges, way: RouteFacts['way'], input = facts.input) =>
      routing(rules, change).choose({ ...facts, input, ...(way && { way }) })?.candidates[0].active.name;
    const card = { method: 'card', adapter: null, coin: null } as const;
    const ways = (method: 'card' | 'hosted_page' | 'crypto', payerFields: readonly 'city'[] = []) => {
      return {
        manifest: { ways: [{ method, title: 'It', threeDs: 'enforced', payerFields }], coin: () => 'BTC' },
      } as const;
    };
    expect(first(ways('hosted_page'), card)).to.equal('second');
    expect(first(ways('hosted_page'), { ...card, method: 'hosted_page', adapter: 'first' })).to.equal('first');
    expect(first(ways('hosted_page'), { ...card, method: 'hosted_page', adapter: 'second' })).to.equal(undefined);
    expect(first(ways('crypto'), { ...card, method: 'crypto', coin: 'BTC' })).to.equal('first');
    expect(first(ways('crypto'), { ...card, method: 'crypto', coin: 'LTC' })).to.equal(undefined);
    const sparse = cardInput({ payer: { ipAddress: null } });
    expect(first(ways('card', ['city']), card, sparse)).to.equal('second');
    expect(first(ways('card', ['city']), card)).to.equal('first');
    const onlyPages = [rule({ when: { method: ['hosted_page'] } })];
    expect(routing(onlyPages).choose({ ...facts, way: card })).to.equal(undefined);
  });

  it('skips a provider for a currency that the operator did not open', () => {
    const chosen = routing([both], {}, { first: ['JPY'] }).choose(facts);
    expect(chosen?.candidates[0].active.name).to.equal('second');
  });

  it('chooses no provider for a card or a wallet if the service accepts no card data', () => {
    const skipped: string[] = [];
    const refusing = routing([both], { manifest: { inputs: ['card', 'billing'] } }, {}, true);
    const chosen = (input: Partial<PayerInput>) =>
      refusing.choose({ ...facts, input: cardInput(input) }, ({ why }) => skipped.push(why))?.candidates[0].active.name;
    expect(chosen({})).to.equal(undefined);
    expect(skipped[0]).to.equal('would receive a card: http.refuseCardNumbers is on');
    const { card: _, ...withoutCard } = cardInput();
    expect(refusing.choose({ ...facts, input: { ...withoutCard, kind: 'billing' } })?.ruleId).to.equal(1);
    expect(refusing.choose({ ...facts, input: { ...withoutCard, kind: 'billing', wallet: {} } })).to.equal(undefined);
    const order = { unit: 'EUR', amount: '25.90', sandbox: true };
    expect([refusing.hasWay('card', order), refusing.hasWay('billing', order)]).to.deep.equal([false, true]);
  });

  it('chooses a provider at whose page the payer types the card, also if the service accepts no card data', () => {
    const page = { method: 'hosted_page', title: 'It', threeDs: 'enforced', payerFields: [] } as const;
    const refusing = routing([rule()], { manifest: { ways: [{ ...page, withoutCard: true }] } }, {}, true);
    const { card: _, ...input } = cardInput();
    const way = { method: 'hosted_page', adapter: 'first', coin: null } as const;
    expect(refusing.choose({ ...facts, input, way })?.candidates[0].active.name).to.equal('first');
    expect(refusing.hasWay('card', { unit: 'EUR', amount: '25.90', sandbox: true })).to.equal(true);
  });

  it('chooses nothing if no provider is left', () => {
    expect(routing([rule()], { state: 'off' }).choose(facts)).to.equal(undefined);
    expect(routing([rule({ use: ['unknown'] })]).choose(facts)).to.equal(undefined);
  });

  it('finds the input kinds that have a way before the payer is known', () => {
    const order = { unit: 'EUR', amount: '25.90', sandbox: true };
    expect(routing([rule()]).hasWay('card', order)).to.equal(true);
    expect(routing([rule()]).hasWay('upi', order)).to.equal(false);
    expect(routing([rule()]).hasWay('card', { ...order, unit: 'USD' })).to.equal(false);
    expect(routing([rule({ when: { amountTo: '10' } })]).hasWay('card', order)).to.equal(false);
  });
});

describe('matches', () => {
  const input = (members: Partial<PayerInput>): Partial<RouteFacts> => ({ input: cardInput(members) });
  const wallet = input({ wallet: { type: 'applepay', cryptogram: 'c', eci: '05' } as never });
  for (const [what, when, change, holds] of [
    ['nothing', {}, {}, true],
    ['a method', { method: ['card'] }, {}, true],
    ['a method of a wallet', { method: ['wallet_card'] }, wallet, true],
    ['the method card for a wallet', { method: ['card'] }, wallet, false],
    ['one of the methods of UPI', { method: ['upi_qr'] }, input({ kind: 'upi' }), true],
    ['one of the methods of a page', { method: ['crypto'] }, input({ kind: 'billing' }), true],
    ['a saved card', { method: ['card_token'] }, input({ kind: 'token' }), true],
    ['a currency', { currency: ['EUR', 'USD'] }, {}, true],
    ['another currency', { currency: ['USD'] }, {}, false],
    ['a country in any case', { country: ['de'] }, {}, true],
    ['a country in another code', { country: ['GB'] }, input({ payer: { country: 'uk', ipAddress: null } }), true],
    ['another country', { country: ['FR'] }, {}, false],
    ['the beginning of the card number', { bin: ['5', '411111'] }, {}, true],
    ['another beginning', { bin: ['5'] }, {}, false],
    ['a beginning without a card', { bin: ['4'] }, input({ kind: 'upi', card: undefined as never }), false],
    ['an amount from the limit on', { amountFrom: '25.9' }, {}, true],
    ['an amount below the limit', { amountFrom: '25.91' }, {}, false],
    ['an amount up to the limit', { amountTo: '25.9000' }, {}, true],
    ['an amount above the limit', { amountTo: '25.8999' }, {}, false],
    [
      'an amount of more digits than a number has',
      { amountFrom: '9007199254740993' },
      { amount: '9007199254740992' },
      false,
    ],
    ['a test payment', { isSandbox: true }, {}, true],
    ['a live payment', { isSandbox: false }, {}, false],
    ['all of its conditions', { currency: ['EUR'], country: ['FR'] }, {}, false],
  ] as const satisfies readonly (readonly [string, RouteRule['when'], Partial<RouteFacts>, boolean])[]) {
    it(`${holds ? 'accepts' : 'rejects'} ${what}`, () => {
      expect(matches(when, { ...facts, ...change })).to.equal(holds);
    });
  }
});

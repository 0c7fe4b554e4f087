import { defineRoute, genuine } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRegistry } from './registry.ts';
import { fakeActive } from './testing/fake-adapter.ts';

const route = defineRoute({
  path: 'acme',
  method: 'POST',
  caller: 'server',
  reports: 'payments',
  verifySignature: () => genuine(1),
  parseCallback: () => ({ events: [] }),
});
const acme = fakeActive({ adapter: { callbacks: [route] } });
const other = fakeActive({ manifest: { name: 'other', code: 42 }, state: 'draining' });
const absent = {
  name: 'absent',
  account: 'main',
  ref: 'absent',
  package: 'p',
  state: 'off',
  adapter: null,
  readManifest: async () => undefined,
} as const;
const create = () => createRegistry([acme, other, absent]);

describe('createRegistry', () => {
  it('finds adapters by name, by code and by callback address', () => {
    const registry = create();
    expect(registry.byName('acme')).to.deep.equal(acme);
    expect(registry.byCode(41)).to.deep.equal(acme);
    expect(registry.route('POST', 'acme')).to.deep.equal({ active: acme, route });
    expect(registry.route('GET', 'acme')).to.equal(undefined);
    expect(registry.route('POST', 'acme/')).to.equal(undefined);
    expect(registry.byName('unknown')).to.equal(undefined);
    expect(registry.byCode(43)).to.equal(undefined);
  });

  for (const [state, isSubmitting, isRunning] of [
    ['on', true, true],
    ['draining', false, true],
    ['off', false, false],
  ] as const) {
    it(`${isSubmitting ? 'accepts' : 'refuses'} submissions and ${isRunning ? 'continues' : 'stops'} callbacks while ${state}`, () => {
      const registry = create();
      registry.setState('acme', state);
      expect(registry.stateOf('acme')).to.equal(state);
      expect(registry.byCode(41) !== undefined).to.equal(isSubmitting);
      expect(registry.byName('acme') !== undefined).to.equal(isRunning);
      expect(registry.route('POST', 'acme') !== undefined).to.equal(isRunning);
    });
  }

  it('knows the state of the adapter with a code, also of one that is off and not imported', async () => {
    let imports = 0;
    const readManifest = async () => {
      imports += 1;
      return { code: 43, title: 'Absent Pay' };
    };
    const registry = createRegistry([acme, other, { ...absent, readManifest }]);
    const states = [await registry.stateOfCode(41), await registry.stateOfCode(42)];
    expect([states, imports]).to.deep.equal([['on', 'draining'], 0]);
    expect([await registry.stateOfCode(43), await registry.stateOfCode(44)]).to.deep.equal(['off', undefined]);
    registry.setState('acme', 'off');
    expect(await registry.stateOfCode(41)).to.equal('off');
  });

  it('knows the names of all providers, also of one that is off and not imported', async () => {
    const readManifest = async () => ({ code: 43, title: 'Absent Pay' });
    const unreadable = { ...absent, name: 'unreadable', ref: 'unreadable' };
    const registry = createRegistry([acme, { ...absent, readManifest }, unreadable]);
    registry.setState('acme', 'off');
    expect([...(await registry.titles())]).to.deep.equal([
      ['acme', acme.adapter.manifest.title],
      ['absent', 'Absent Pay'],
    ]);
  });

  it('accepts an adapter again that was off', () => {
    const registry = create();
    registry.setState('acme', 'off');
    registry.setState('acme', 'on');
    expect(registry.byCode(41)).to.deep.equal(acme);
  });

  it('lists all adapters in the order of config', () => {
    const registry = create();
    expect(registry.all().map(({ name, state }) => [name, state])).to.deep.equal([
      ['acme', 'on'],
      ['other', 'draining'],
      ['absent', 'off'],
    ]);
  });

  it('refuses a state for a name that is unknown or was never loaded', () => {
    const registry = create();
    expect(() => registry.setState('unknown', 'on')).to.throw('config lists no adapter unknown');
    expect(() => registry.setState('absent', 'on')).to.throw('absent was off: load it with its options first');
    expect(registry.stateOf('unknown')).to.equal(undefined);
    registry.setState('absent', 'off');
  });

  it('replaces all adapters at the same time', () => {
    const registry = create();
    registry.replace([other]);
    expect(registry.byName('acme')).to.equal(undefined);
    expect(registry.byName('other')).to.deep.equal(other);
  });

  describe('accounts', () => {
    const eu = { ...acme, account: 'eu', ref: 'acme/eu' };
    const pt = { ...acme, account: 'pt', ref: 'acme/pt', state: 'draining' } as const;

    it('are found by their reference, and are not listed as adapters', () => {
      const registry = createRegistry([acme, eu, pt, other]);
      expect(registry.byName('acme/eu')).to.equal(eu);
      expect(registry.byName('acme/unknown')).to.equal(undefined);
      expect(registry.accountsOf('acme')).to.deep.equal([acme, eu, pt]);
      expect(registry.accountsOf('unknown')).to.deep.equal([]);
      expect(registry.all().map(({ name }) => name)).to.deep.equal(['acme', 'other']);
      expect(registry.byCode(41)).to.equal(acme);
    });

    it('are limited by their adapter, and keep their own state', () => {
      const registry = createRegistry([acme, eu, pt]);
      const states = () => ['acme', 'acme/eu', 'acme/pt'].map((ref) => registry.stateOf(ref));
      expect(states()).to.deep.equal(['on', 'on', 'draining']);
      registry.setState('acme', 'draining');
      expect(states()).to.deep.equal(['draining', 'draining', 'draining']);
      expect(registry.byName('acme/eu')).to.include({ ref: 'acme/eu', state: 'draining' });
      registry.setState('acme', 'off');
      expect(states()).to.deep.equal(['off', 'off', 'off']);
      expect(registry.byName('acme/eu')).to.equal(undefined);
      registry.setState('acme', 'on');
      registry.setState('acme/eu', 'off');
      expect(states()).to.deep.equal(['on', 'off', 'draining']);
    });

    it('have a callback address of their own, except for main', () => {
      const registry = createRegistry([acme, eu, pt, other]);
      expect(registry.route('POST', 'acme')).to.deep.equal({ active: acme, route, hasAccounts: true });
      expect(registry.route('POST', 'acme/eu')).to.deep.equal({
        active: eu,
        route,
        isOwnAddress: true,
        hasAccounts: true,
      });
      for (const path of ['acme/main', 'acme/unknown', 'acme/eu/', 'acme/eu/eu', 'other/eu', '/eu', 'eu'])
        expect(registry.route('POST', path), path).to.equal(undefined);
      expect(registry.route('GET', 'acme/eu')).to.equal(undefined);
      registry.setState('acme/eu', 'off');
      expect(registry.route('POST', 'acme/eu')).to.equal(undefined);
    });

    it('are tried for a callback by the keys of both modes, and only while they are not off', () => {
      const ofEu = { live: 'EU', test: 'EU-T' };
      const ofPt = { live: 'PT', test: 'EU-T' };
      const registry = createRegistry([acme, { ...eu, keys: ofEu }, { ...pt, keys: ofPt }, other]);
      const triedFor = (...keys: string[]) => registry.accountsToTry('acme', keys).map(({ ref }) => ref);
      expect([triedFor('EU'), triedFor('PT'), triedFor('EU-T')]).to.deep.equal([
        ['acme/eu'],
        ['acme/pt'],
        ['acme/eu', 'acme/pt'],
      ]);
      expect(triedFor('PT', 'EU', 'EU-T', 'unknown')).to.deep.equal(['acme/pt', 'acme/eu']);
      expect([triedFor('unknown'), registry.accountsToTry('other', ['EU'])]).to.deep.equal([[], []]);
      registry.setState('acme/eu', 'off');
      expect([triedFor('EU'), triedFor('EU-T')]).to.deep.equal([[], ['acme/pt']]);
      registry.replace([acme, { ...eu, keys: { live: 'NEW' } }]);
      expect([triedFor('EU'), triedFor('PT'), triedFor('NEW')]).to.deep.equal([[], [], ['acme/eu']]);
    });

    it('are tried without a key in the order of config, main first, at most 33', () => {
      const many = Array.from({ length: 40 }, (_, n) => ({ ...acme, account: `a${n}`, ref: `acme/a${n}` }));
      const registry = createRegistry([acme, ...many]);
      registry.setState('acme/a0', 'off');
      const tried = registry.accountsToTry('acme').map(({ ref }) => ref);
      expect([tried.length, tried[0], tried[1], tried.at(-1)]).to.deep.equal([33, 'acme', 'acme/a1', 'acme/a32']);
      const allKeys = many.map(({ account }) => account);
      const holding = createRegistry([
        { ...acme, keys: { live: ['ONE', 'TWO'], test: 'T' } },
        { ...eu, keys: { live: 'EU' } },
      ]);
      for (const key of ['ONE', 'TWO', 'T']) expect(holding.accountsToTry('acme', [key])[0]?.ref, key).to.equal('acme');
      const named = createRegistry([acme, ...many.map((one) => ({ ...one, keys: { live: one.account } }))]);
      expect(named.accountsToTry('acme', allKeys)).to.have.length(33);
    });
  });
});

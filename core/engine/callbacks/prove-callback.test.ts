import {
  defineRoute,
  genuine,
  invalidSignature,
  tryLater,
  unproven,
  type RawCallback,
  type Verdict,
} from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { accountRefOf, createRegistry, mainAccount } from '../providers/index.ts';
import { fakeActive } from '../providers/testing/fake-adapter.ts';
import type { FoundRoute } from '../providers/registry.ts';
import { proveCallback, readEvents, type ProveDeps } from './prove-callback.ts';

const raw = { body: Buffer.from('{}') } as unknown as RawCallback;
const route = defineRoute({
  path: 'acme',
  method: 'POST',
  caller: 'server',
  reports: 'payments',
  verifySignature: () => genuine(1),
  parseCallback: () => ({ events: [] }),
});
const forged = invalidSignature('the signature');
const later = tryLater('the key is not known');

/**
 * `verdicts`: by account; the others refuse. `hint`: what the message names. `needCall`: accounts whose verdict needs a
 * call to the provider. `named`: the account of the attempt that the message names.
 */
async function prove(
  count: number,
  path: string,
  {
    hint,
    verdicts = {},
    needCall = [],
    named,
  }: {
    hint?: readonly string[];
    verdicts?: Readonly<Record<string, Verdict<never>>>;
    needCall?: readonly string[];
    named?: string;
  },
) {
  const main = fakeActive({ adapter: { callbacks: [route] } });
  const accounts = [mainAccount, ...Array.from({ length: count - 1 }, (_, n) => `a${n}`)];
  const registry = createRegistry(
    accounts.map((account) => {
      return { ...main, account, ref: accountRefOf({ adapter: 'acme', account }), keys: { live: account } };
    }),
  );
  const tried: { readonly account: string; readonly mayCall: boolean | undefined }[] = [];
  const calls: ProveDeps['calls'] = {
    hint: () => hint,
    async verify({ active: { account } }, _, options) {
      tried.push({ account, mayCall: options?.mayCall });
      const isPostponed = needCall.includes(account) && options?.mayCall === false;
      return { verdict: isPostponed ? later : (verdicts[account] ?? forged), side: 'live' };
    },
  };
  const found: FoundRoute = registry.route('POST', path)!;
  const asked: unknown[] = [];
  const accountNamedIn: ProveDeps['ownership']['accountNamedIn'] = async (...given) => {
    asked.push(given);
    return named;
  };
  const proven = await proveCallback({ registry, calls, ownership: { accountNamedIn } }, found, raw);
  const called = tried.filter(({ mayCall }) => mayCall).map(({ account }) => account);
  return { proven, tried, called, asked };
}
const accountsOf = ({ proven }: Awaited<ReturnType<typeof prove>>) =>
  'proofs' in proven ? proven.proofs.map(({ found }) => found.active.account) : [];

describe('proveCallback', () => {
  const fits = genuine(1) as Verdict<never>;

  for (const count of [2, 1000]) {
    it(`tries one account of ${count} at its own address and with a hint`, async () => {
      const own = await prove(count, 'acme/a0', { hint: ['main'], verdicts: { a0: fits } });
      const hinted = await prove(count, 'acme', { hint: ['a0'], verdicts: { a0: fits, main: fits } });
      for (const one of [own, hinted]) {
        expect(one.tried).to.deep.equal([{ account: 'a0', mayCall: true }]);
        expect([one.proven.verdict, accountsOf(one)]).to.deep.equal(['genuine', ['a0']]);
      }
    });
  }

  it('tries the only account of an adapter, whatever the callback names', async () => {
    const { tried } = await prove(1, 'acme', { hint: ['another'] });
    expect(tried).to.deep.equal([{ account: 'main', mayCall: true }]);
  });

  it('tries main and 32 others without a hint, and lets none call the provider if no proof needs it', async () => {
    const { tried, called, asked, proven } = await prove(1000, 'acme', {});
    expect(tried).to.have.length(33);
    expect([called, asked]).to.deep.equal([[], []]);
    expect(proven).to.deep.equal({ ...forged, side: 'live' });
  });

  for (const [named, caller] of [
    ['a1', 'a1'],
    ['main', 'main'],
    [undefined, 'main'],
  ] as const) {
    it(`lets only ${caller} call the provider if the callback names a payment of ${named ?? 'no account'}`, async () => {
      const needCall = ['main', 'a0', 'a1'];
      const verdicts = { main: fits, a0: fits, a1: fits };
      const one = await prove(4, 'acme', { needCall, verdicts, ...(named && { named }) });
      expect(one.called).to.deep.equal([caller]);
      expect([one.proven.verdict, accountsOf(one)]).to.deep.equal(['genuine', [caller]]);
      expect(one.asked).to.deep.equal([[raw, 'acme']]);
    });
  }

  it('lets no account call the provider if the payment is of an account that needs no call', async () => {
    const { called, proven } = await prove(4, 'acme', {
      needCall: ['main', 'a0'],
      verdicts: { main: fits },
      named: 'a1',
    });
    expect([called, proven.verdict]).to.deep.equal([[], 'invalid_signature']);
  });

  it('needs no call if another account proves the callback', async () => {
    const one = await prove(4, 'acme', { needCall: ['main', 'a0'], verdicts: { a1: fits }, named: 'a0' });
    expect([one.called, one.asked, accountsOf(one)]).to.deep.equal([[], [], ['a1']]);
  });

  it('finds every account whose secret fits', async () => {
    const shared = await prove(4, 'acme', { verdicts: { main: unproven(1) as Verdict<never>, a0: fits, a2: fits } });
    expect([shared.proven.verdict, accountsOf(shared)]).to.deep.equal(['genuine', ['a0', 'a2']]);
  });

  it('is unproven if an account accepts it without a proof and none proves it', async () => {
    const ping = await prove(4, 'acme', { verdicts: { a1: unproven(1) as Verdict<never> } });
    expect([ping.proven.verdict, accountsOf(ping)]).to.deep.equal(['unproven', ['a1']]);
  });

  it('refuses a callback that names only accounts that do not exist, and tries none', async () => {
    const { tried, proven } = await prove(3, 'acme', { hint: ['unknown', 'other'], verdicts: { main: fits } });
    expect(tried).to.deep.equal([]);
    expect(proven).to.deep.equal({ ...invalidSignature('it names an unknown account'), side: 'live' });
  });

  it('answers the most important refusal, and ignores proofs that would need a call for another account', async () => {
    const ofMain = await prove(3, 'acme', { verdicts: { main: later } });
    expect(ofMain.proven).to.deep.equal({ ...later, side: 'live' });
    const ofOther = await prove(3, 'acme', { verdicts: { a0: later } });
    expect(ofOther.proven).to.deep.equal({ ...forged, side: 'live' });
    const ofTwo = await prove(3, 'acme', { hint: ['a0', 'a1'], verdicts: { a0: later, a1: later } });
    expect(ofTwo.proven).to.include({ verdict: 'invalid_signature' });
    expect((await prove(3, 'acme', { hint: ['a0'], verdicts: { a0: later } })).proven.verdict).to.equal('try_later');
  });
});

describe('readEvents', () => {
  const event = {
    kind: 'payment',
    providerStatus: 'paid',
    status: 'succeeded',
    reference: 'GW-1-1',
    providerReference: null,
    amount: null,
    currency: null,
    dedupeKey: null,
  } as const;
  const other = { ...event, reference: 'GW-2-1' };

  /** `parsed`: what each account reads. */
  async function read(parsed: Readonly<Record<string, ReturnType<Parameters<typeof readEvents>[0]['parse']>>>) {
    const fits = genuine(1) as Verdict<never>;
    const names = Object.keys(parsed);
    const { proven } = await prove(4, 'acme', { verdicts: Object.fromEntries(names.map((name) => [name, fits])) });
    if (!('proofs' in proven)) throw new Error('unreachable');
    const result = readEvents({ parse: ({ active }) => parsed[active.account]! }, proven.proofs);
    if (!('groups' in result)) return result;
    const { groups, hasRefused } = result;
    return { groups: groups.map(({ accounts, events }) => [accounts, events]), hasRefused };
  }

  it('gives an event to every account that reads it, and keeps equal events of one callback apart', async () => {
    expect(await read({ a0: { events: [event, event, other] }, a1: { events: [event, event] } })).to.deep.equal({
      groups: [
        [
          ['a0', 'a1'],
          [event, event],
        ],
        [['a0'], [other]],
      ],
      hasRefused: false,
    });
  });

  it('gives an event that names an account to that account only', async () => {
    const flagged = { ...event, ofOtherAccount: true } as const;
    expect(await read({ a0: { events: [flagged] }, a1: { events: [event] } })).to.deep.include({
      groups: [[['a1'], [event]]],
    });
    expect(await read({ a0: { events: [flagged] }, a1: { events: [flagged] } })).to.deep.include({
      groups: [[['a0'], [flagged]]],
    });
  });

  it('says that an entry is refused only if no account proves it', async () => {
    const refusing = (...refusedAt: readonly number[]) => {
      return { events: [], refused: refusedAt.length, refusedAt };
    };
    const hasRefused = async (...all: readonly Parameters<typeof read>[0][string][]) => {
      const result = await read(Object.fromEntries(all.map((one, n) => [`a${n}`, one])));
      return 'groups' in result && result.hasRefused;
    };
    expect(await hasRefused(refusing(0))).to.equal(true);
    expect(await hasRefused(refusing(0), refusing(1))).to.equal(false);
    expect(await hasRefused(refusing(0, 2), refusing(1, 2))).to.equal(true);
    expect(await hasRefused(refusing(0), { events: [] })).to.equal(false);
    // Without positions, the two may be the same entry.
    expect(await hasRefused({ events: [], refused: 1 }, refusing(1))).to.equal(true);
    expect(await hasRefused({ events: [], refused: 1 })).to.equal(true);
  });

  it('is malformed only if no account reads it', async () => {
    const broken = { malformed: 'no events' };
    expect(await read({ a0: broken, a1: broken })).to.deep.equal(broken);
    expect(await read({ a0: broken, a1: { events: [event] } })).to.deep.include({ groups: [[['a1'], [event]]] });
  });
});

import type { AdapterContext, JsonNumber } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { fakeOptions } from '../../providers/testing/fake-adapter.ts';
import type { PaymentsConfig } from '../config.ts';
import {
  caller,
  cardInput,
  order,
  usePayments,
  type FakeProviderChanges,
  type TestPayments,
} from '../testing/setup.ts';
import type { NewPaymentRequest } from '../types/input.ts';

type Context = AdapterContext<typeof fakeOptions>;

const ribeira = { name: 'Ribeira', ownAccountsOnly: false };
const newRequest: NewPaymentRequest = {
  ...order,
  ...nothingGiven,
  client: { name: null, email: null, address: null, phone: null, memberId: null },
  send: false,
};

describe('accounts of an adapter', () => {
  const suite = usePayments();
  /** The account of each call, in order. The addresses of the fake accounts name them. */
  let called: string[];
  const record = (call: string, { options }: Context) => called.push(`${call} ${new URL(options.baseUrl).hostname}`);
  beforeEach(() => {
    called = [];
  });

  const options = (name: string) => {
    const own = { ...fakeOptions, baseUrl: `https://${name}`, sandboxBaseUrl: `https://${name}` };
    return { options: own, sandboxOptions: own };
  };
  const abilities: FakeProviderChanges = {
    ...options('main'),
    adapter: {
      async submit(_, ctx) {
        record('submit', ctx);
        return { outcome: 'pending', authorised: true, providerReference: 'P-1' };
      },
      async fetchStatus(_, ctx) {
        record('fetch', ctx);
        return { result: 'no_information', reason: 'nothing' };
      },
      async capture(_, __, ctx) {
        record('capture', ctx);
        return { outcome: 'succeeded' };
      },
      async refund(_, __, ctx) {
        record('refund', ctx);
        return { outcome: 'succeeded' };
      },
      async void(_, ctx) {
        record('void', ctx);
        return { outcome: 'succeeded' };
      },
    },
  };
  const accounts = {
    eu: { ...options('eu'), merchants: ['Ribeira'] },
    pt: { ...options('pt'), merchants: ['Ribeira'] },
    other: { ...options('other'), merchants: ['Lisboa'] },
    all: { ...options('all'), currencies: ['EUR'] },
  };
  const create = ({
    changes = {},
    user = ribeira,
    ...config
  }: Partial<PaymentsConfig> & {
    readonly changes?: FakeProviderChanges;
    readonly user?: typeof ribeira;
  } = {}): TestPayments => suite.create(config, { first: { ...abilities, accounts, ...changes } }, undefined, user);
  const pay = async ({ service }: TestPayments, providerAccount?: string, members = {}) => {
    const { id } = await service.create(caller, { ...newRequest, ...members });
    return service.pay(caller, id, cardInput(providerAccount === undefined ? {} : { providerAccount }));
  };
  const payH2h = async ({ service }: TestPayments, providerAccount?: string) =>
    service.payH2h(caller, 41, order, cardInput(providerAccount === undefined ? {} : { providerAccount }));
  const storedAccount = async (id: number) =>
    (await paymentRequestModel(suite.connection()).findById(id).lean())?.attempts.at(-1)?.account;

  describe('the choice', () => {
    it('takes the first assigned account of the merchant, in the order of config', async () => {
      const { id } = await pay(create());
      expect(called).to.deep.equal(['submit eu']);
      expect(await storedAccount(id)).to.equal('eu');
      await payH2h(create());
      expect(called).to.deep.equal(['submit eu', 'submit eu']);
    });

    it('takes the next assigned account if the first is off, draining or does not fit the currency', async () => {
      for (const eu of [{ state: 'off' }, { state: 'draining' }, { currencies: ['JPY'] }] as const) {
        called = [];
        const payments = create({ changes: { accounts: { ...accounts, eu: { ...accounts.eu, ...eu } } } });
        await pay(payments);
        await payH2h(payments);
        expect(called, JSON.stringify(eu)).to.deep.equal(['submit pt', 'submit pt']);
      }
    });

    it('takes no account for a test payment that would reach its live side', async () => {
      const live = { takesTestPayments: false };
      const changes = { accounts: { eu: { ...accounts.eu, ...live }, pt: { ...accounts.pt, ...live } } };
      const payments = create({ changes, routes: [{ id: 1, when: {}, use: ['first'], fallback: false }] });
      for (const providerAccount of [undefined, 'first/eu'])
        await expectRefusal(providerAccount ? 'INVALID_FORMAT' : 'PAYMENT_NOT_PAYABLE', async () =>
          pay(payments, providerAccount),
        );
      for (const providerAccount of [undefined, 'eu'])
        await expectRefusal('NOT_FOUND', async () => payH2h(payments, providerAccount));
      expect(called).to.deep.equal([]);
      const mixed = { accounts: { eu: { ...accounts.eu, ...live }, pt: accounts.pt } };
      expect(await storedAccount((await payH2h(create({ changes: mixed }))).id)).to.equal('pt');
    });

    it('takes main for a merchant without assigned accounts, and stores no account then', async () => {
      const { id } = await pay(create({ user: { name: 'Porto', ownAccountsOnly: false } }));
      expect(called).to.deep.equal(['submit main']);
      expect(await storedAccount(id)).to.equal(undefined);
      const draining = create({ user: { name: 'Porto', ownAccountsOnly: false }, changes: { currencies: ['JPY'] } });
      await payH2h(draining);
      expect(called.at(-1)).to.equal('submit all');
    });

    it('takes no account that serves everybody for a merchant with own accounts only', async () => {
      const user = { name: 'Porto', ownAccountsOnly: true };
      const payments = create({ user, routes: [{ id: 1, when: {}, use: ['first'], fallback: false }] });
      const refused = await expectRefusal('PAYMENT_NOT_PAYABLE', async () => pay(payments));
      expect(refused.message).to.include('has no account that is open to this merchant');
      await expectRefusal('NOT_FOUND', async () => payH2h(payments));
      expect(called).to.deep.equal([]);
    });

    it('takes the account of a route rule, and skips the entry if the account is not open to the merchant', async () => {
      const use = ['first/other', 'first/pt', 'first'];
      const { id } = await pay(create({ routes: [{ id: 1, when: {}, use, fallback: false }] }));
      expect(await storedAccount(id)).to.equal('pt');
    });

    it('reads merchants in route and risk rules', async () => {
      const rules = [
        { id: 1, when: { merchant: ['Lisboa'] }, use: ['first/eu'], fallback: false },
        { id: 2, when: { merchant: ['Ribeira', 'Porto'] }, use: ['first/pt'], fallback: false },
      ];
      expect(await storedAccount((await pay(create({ routes: rules }))).id)).to.equal('pt');
      const risk = [{ id: 1, when: { merchant: ['Ribeira'] }, action: 'deny', reason: 'closed' } as const];
      await expectRefusal('CARD_DECLINED', async () => payH2h(create({ risk })));
      await payH2h(create({ risk, user: { name: 'Porto', ownAccountsOnly: false } }));
      expect(called).to.deep.equal(['submit pt', 'submit main']);
    });

    it('tries other adapters of the rule, but no second account, after nothing was charged', async () => {
      const payments = create({
        changes: {
          adapter: {
            async submit(_, ctx) {
              record('submit', ctx);
              return { outcome: 'failed', nothingCharged: true };
            },
          },
        },
      });
      payments.providers.second.answerWith({ outcome: 'succeeded' });
      await pay(payments);
      expect(called).to.deep.equal(['submit eu']);
      expect(payments.providers.second.submitted).to.have.length(1);
    });

    it('offers on the payer’s page, and counts as a way, only what an open account accepts', async () => {
      const routes = [{ id: 1, when: {}, use: ['first'], fallback: false }];
      const unpayable = async (user: typeof ribeira) =>
        create({ routes, user }).service.whyUnpayable({ ownerId: 1, unit: 'EUR', amount: '10', sandbox: true });
      expect(await unpayable(ribeira)).to.equal(undefined);
      expect(await unpayable({ name: 'Porto', ownAccountsOnly: true })).to.include({ field: 'unit' });
    });
  });

  describe('providerAccount', () => {
    it('chooses the account for one attempt, and at h2h also by its own name', async () => {
      const payments = create();
      expect(await storedAccount((await pay(payments, 'first/pt')).id)).to.equal('pt');
      expect(await storedAccount((await payH2h(payments, 'first/pt')).id)).to.equal('pt');
      expect(await storedAccount((await payH2h(payments, 'pt')).id)).to.equal('pt');
    });

    it('chooses the account of a payment request for its attempts', async () => {
      const payments = create();
      const answer = await pay(payments, undefined, { providerAccount: 'first/pt' });
      expect(await storedAccount(answer.id)).to.equal('pt');
      expect((await answer.present()).view).to.include({ providerAccount: 'first/pt', routeRuleId: null });
      const other = await pay(payments, 'first/eu', { providerAccount: 'first/pt' });
      expect(await storedAccount(other.id)).to.equal('eu');
    });

    it('is refused with one text if it is unknown, not open to the merchant, or of another adapter', async () => {
      const payments = create();
      const texts = new Set<string>();
      for (const given of ['first/unknown', 'first/other', 'first/main', 'unknown/main', 'nothing', '']) {
        const refused = await expectRefusal('INVALID_FORMAT', async () => pay(payments, given));
        expect(refused.details).to.include({ field: 'providerAccount', value: given });
        texts.add(refused.message);
        const created = await expectRefusal('INVALID_FORMAT', async () =>
          payments.service.create(caller, { ...newRequest, providerAccount: given }),
        );
        texts.add(created.message);
      }
      for (const given of ['second/main', 'first/unknown', 'other', 'main'])
        texts.add((await expectRefusal('INVALID_FORMAT', async () => payH2h(payments, given))).message);
      expect([...texts]).to.have.length(1);
      expect(called).to.deep.equal([]);
    });

    it('is NF001 at h2h and PAY004 otherwise while the account is off or draining', async () => {
      for (const state of ['off', 'draining'] as const) {
        const payments = create({ changes: { accounts: { ...accounts, pt: { ...accounts.pt, state } } } });
        await expectRefusal('PAYMENT_NOT_PAYABLE', async () => pay(payments, 'first/pt'));
        await expectRefusal('NOT_FOUND', async () => payH2h(payments, 'first/pt'));
      }
      expect(called).to.deep.equal([]);
    });

    it('is refused with the fields that the account does not accept', async () => {
      const payments = create({ changes: { accounts: { ...accounts, pt: { ...accounts.pt, currencies: ['JPY'] } } } });
      for (const attempt of [async () => pay(payments, 'first/pt'), async () => payH2h(payments, 'pt')])
        expect((await expectRefusal('INVALID_FORMAT', attempt)).details).to.include({ field: 'unit' });
      const live = create({ changes: { accounts: { ...accounts, pt: { ...accounts.pt, takesTestPayments: false } } } });
      const refused = await expectRefusal('INVALID_FORMAT', async () => pay(live, 'first/pt'));
      expect(refused.details).to.include({ field: 'providerAccount' });
      await expectRefusal('NOT_FOUND', async () => payH2h(live, 'pt'));
    });
  });

  describe('an attempt', () => {
    it('keeps its account for every later call, also if rules, assignments and states change', async () => {
      const { id } = await payH2h(create(), 'pt');
      const moved = { ...accounts, pt: { ...accounts.pt, merchants: [], state: 'draining' as const } };
      const after = create({ changes: { accounts: moved }, user: { name: 'Porto', ownAccountsOnly: true } });
      await suite.makeDue(id);
      await after.reconciler.reconcile((await after.reconciler.claim([]))!);
      await after.service.capture(caller, id, undefined);
      await after.service.refund(caller, id, undefined);
      expect(called).to.deep.equal(['submit pt', 'fetch pt', 'capture pt', 'refund pt']);
      const { id: released } = await payH2h(create(), 'pt');
      await after.service.cancel(caller, released);
      expect(called.slice(-2)).to.deep.equal(['submit pt', 'void pt']);
    });

    it('is found by its account in the list of payment requests', async () => {
      const payments = create();
      const { id } = await payH2h(payments, 'eu');
      const user = { name: 'Porto', ownAccountsOnly: false };
      const { id: main } = await payH2h(create({ user }));
      const listed = async (providerAccount: string) =>
        (await payments.service.list(caller, { limit: 100, providerAccount })).items.map((one) => one.id);
      expect(await listed('first/eu'))
        .to.include(id)
        .and.not.include(main);
      expect(await listed('first/main'))
        .to.include(main)
        .and.not.include(id);
      expect(await listed('first/unknown')).to.deep.equal([]);
    });

    it('of an earlier version has the account main', async () => {
      const user = { name: 'Porto', ownAccountsOnly: false };
      const { id } = await payH2h(create({ user }));
      expect(await storedAccount(id)).to.equal(undefined);
      await create().service.capture(caller, id, undefined);
      expect(called).to.deep.equal(['submit main', 'capture main']);
      const { view } = await (await create().service.answer(caller, id)).present();
      expect(view['providerAccount']).to.equal('first/main');
    });

    it('has the fee of its account, otherwise that of the adapter', async () => {
      const fee = (percent: string) => ({ percent, fixed: {} });
      const terms = { first: { fee: fee('1'), accounts: { pt: { fee: fee('3') }, eu: {} } } };
      const payments = create({ adapters: terms });
      const feeOf = async (account: string) => {
        const { id } = await payH2h(payments, account);
        const { view } = await (await payments.service.capture(caller, id, undefined)).present();
        return (view['feeAmount'] as JsonNumber).text;
      };
      expect([await feeOf('pt'), await feeOf('eu')]).to.deep.equal(['0.3', '0.1']);
    });
  });
});

/**
 * Two merchants with accounts of their own at two providers. The service runs in processes of its own, and each account
 * has a sandbox of its own that knows only this account.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../config/load-config.ts';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { startFaultsService, type Service } from '../faults/service.ts';
import { startAccountSandbox, type AccountSandbox } from '../support/account-sandbox.ts';
import { cardBody } from '../support/bodies.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { root } from '../support/start-gateway.ts';

const [books, tea] = ['Ribeira Books', 'Lisbon Tea'] as const;
const approved = '4111111111111111';
const pendingForever = '4000000000003097';
const pendingApproved = '4000000000003063';

/** Adyen captures automatically after two delays. Until then, the merchant moves and captures. */
const delayMs = { adyen: 10_000, 'provider-b': 500 } as const;

/** What the options of an account differ in from those of the adapter. */
const own = {
  'adyen/books': {
    merchantAccount: 'BooksECOM',
    apiKey: 'adyen-key-of-the-books-2f7c91d04be6',
    hmacKeys: ['11'.repeat(32)],
    webhookPasswords: ['books-webhook-password'],
  },
  'adyen/tea': {
    merchantAccount: 'TeaECOM',
    apiKey: 'adyen-key-of-the-tea-8d21f47c0be9',
    hmacKeys: ['22'.repeat(32)],
    webhookPasswords: ['tea-webhook-password'],
  },
  'provider-b/books': { endpoint: '5582', login: 'books', controlKeys: ['B00C5-key-44E2-9C58-0A6B1D2E3F40'] },
} as const;
type Ref = keyof typeof own;

interface Merchant {
  readonly key: string;
}

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  readonly json: any;
}

describe('merchants with accounts of their own', function () {
  this.timeout(300_000);
  let service: Service;
  let merchants: Readonly<Record<typeof books | typeof tea, Merchant>>;
  const sandboxes: AccountSandbox[] = [];

  before(async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    const port = await chooseFreePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    /** Starts the sandbox of an account. Returns the account's options, with the address of the sandbox. */
    const startAccount = async (ref: Ref): Promise<AccountSandbox['options']> => {
      const adapter = ref.split('/')[0] as keyof typeof delayMs;
      const where = { publicUrl, delayMs: delayMs[adapter] };
      const sandbox = await startAccountSandbox(config.adapters[adapter]!, own[ref], where);
      sandboxes.push(sandbox);
      return sandbox.options;
    };
    const off = Object.keys(config.adapters).map((name) => [name, { state: 'off' }] as const);
    const settings = {
      adapters: {
        ...Object.fromEntries(off),
        adyen: { state: 'on', accounts: { tea: { options: await startAccount('adyen/tea'), merchants: [tea] } } },
        'provider-b': { state: 'on' },
      },
      routes: [
        { id: 1, when: { merchant: [tea] }, use: ['adyen/tea'] },
        { id: 2, when: { method: ['card'] }, use: ['provider-b/books', 'provider-b'] },
      ],
      mail: { catcher: false },
    };
    const env = { PORT: String(port), API_PROCESSES: '2' };
    service = await startFaultsService({}, undefined, env, settings);
    merchants = { [books]: await createMerchant(books), [tea]: await createMerchant(tea) };
    await service.command('owners', 'set', tea, '--own-accounts-only');
    for (const ref of ['adyen/books', 'provider-b/books'] as const) {
      const file = join(service.folder, 'options.json');
      await writeFile(file, JSON.stringify(await startAccount(ref)));
      await service.command('accounts', 'add', ref, '--options', file, '--merchant', books);
    }
  });
  after(async () => {
    await service.close();
    await Promise.all(sandboxes.map(async (one) => one.close()));
  });

  async function createMerchant(owner: string): Promise<Merchant> {
    const made = await service.command('keys', 'create', '--owner', owner, '--env', 'sandbox', '--json');
    return JSON.parse(made) as Merchant;
  }

  async function call(name: keyof typeof merchants, method: string, path: string, body?: string): Promise<Answer> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'X-API-Key': merchants[name].key, Accept: 'application/json', 'Content-Type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
  }
  const get = async (name: keyof typeof merchants, path: string): Promise<Answer> => call(name, 'GET', path);
  const post = async (name: keyof typeof merchants, path: string, body?: string): Promise<Answer> =>
    call(name, 'POST', path, body);

  /** Pays and returns the id of the payment request, whose account must be this one. */
  async function pay(name: keyof typeof merchants, path: string, body: string, account: string): Promise<number> {
    const { status, json } = await post(name, path, body);
    expect(status, JSON.stringify(json)).to.equal(200);
    expect(json.paymentRequest.providerAccount).to.equal(account);
    return json.paymentRequest.id as number;
  }
  /** Pays by the route rules. */
  async function payByRules(name: keyof typeof merchants, account: string, more: object = {}): Promise<number> {
    const made = await post(name, '/payment-requests', JSON.stringify({ amount: 25.9, unit: 'EUR', ...more }));
    const { amount: _, unit: __, ...card } = JSON.parse(cardBody(approved)) as Record<string, unknown>;
    return pay(name, `/payments/creditCard/${made.json.paymentRequest.id}`, JSON.stringify(card), account);
  }

  const payments = () => service.connection.collection<{ _id: number; statusId: number }>('paymentRequests');
  const waitForStatus = async (id: number, statusId: number): Promise<unknown> =>
    until(`${id} has status ${statusId}`, async () => (await payments().countDocuments({ _id: id, statusId })) === 1);
  /** The addresses at which callbacks about the payment came, and the accounts that proved them. */
  const callbacksOf = async (id: number): Promise<unknown[]> => {
    const rows = service.connection.collection('inbox').find({ 'events.paymentRequestId': id });
    const found = (await rows.toArray()).map(({ path, account, state }) => `${path} ${account ?? 'main'} ${state}`);
    return [...new Set(found)];
  };
  /** Waits until the ability was called, and returns the accounts that all calls about the payment used. */
  const accountsOf = async (id: number, what: string): Promise<unknown[]> => {
    const exchanges = service.connection.collection('exchanges');
    await until(`${what} of ${id}`, async () => {
      return (await exchanges.countDocuments({ paymentRequestId: id, call: what })) > 0;
    });
    return exchanges.distinct('adapter', { paymentRequestId: id });
  };

  it('pay at the account of a route rule, of the body, or assigned to them', async () => {
    await payByRules(tea, 'adyen/tea');
    await payByRules(books, 'provider-b/books');
    await payByRules(books, 'adyen/books', { providerAccount: 'adyen/books' });
    await pay(books, '/payments/h2h/22', cardBody(approved), 'adyen/books');
    await pay(books, '/payments/h2h/22', cardBody(approved, 25.9, { providerAccount: 'books' }), 'adyen/books');
  });

  it('cannot use an account of another merchant, nor main if they use only their own', async () => {
    const refusals = await Promise.all(
      ['books', 'main', 'missing', 'provider-b/books'].map(async (providerAccount) =>
        post(tea, '/payments/h2h/22', cardBody(approved, 25.9, { providerAccount })),
      ),
    );
    for (const { json } of refusals)
      expect([json.code, json.details?.field]).to.deep.equal(['VAL002', 'providerAccount']);
    expect(new Set(refusals.map(({ json }) => json.message)).size).to.equal(1);
    const closed = await post(tea, '/payments/h2h/12', cardBody(approved));
    expect([closed.status, closed.json.code]).to.deep.equal([404, 'NF001']);
  });

  it('have callbacks at the address of an account, or at the shared address by what the message names', async () => {
    const atB = await payByRules(books, 'provider-b/books');
    const atAdyen = await pay(tea, '/payments/h2h/22', cardBody(approved), 'adyen/tea');
    for (const [id, expected] of [
      [atB, 'providerB/books books done'],
      [atAdyen, 'adyen tea done'],
    ] as const) {
      await waitForStatus(id, 2);
      await until(`a callback of ${id}`, async () => (await callbacksOf(id)).length > 0, 60_000);
      await until(`the callbacks of ${id} are applied`, async () => {
        return (await callbacksOf(id)).every((one) => one === expected);
      });
    }
  });

  it('keep the account of each payment after they moved to another account', async () => {
    const paid = await pay(books, '/payments/h2h/22', cardBody(approved), 'adyen/books');
    const card = async (number: string): Promise<number> =>
      pay(books, '/payments/h2h/12', cardBody(number), 'provider-b/books');
    const [settled, waiting, coming] = [await card(approved), await card(pendingForever), await card(pendingApproved)];
    await waitForStatus(settled, 2);
    const delayed = cardBody(approved, 25.9, { captureDelayHours: 4 });
    const reserved = await pay(books, '/payments/h2h/22', delayed, 'adyen/books');
    await Promise.all(
      (['adyen/books', 'provider-b/books'] as const).map(async (ref) =>
        service.command('accounts', 'set', ref, '--unassign', books),
      ),
    );

    const act = async (id: number, what: string, body?: object): Promise<void> => {
      const path = `/payment-requests/${id}/${what}`;
      const { status, json } = await post(books, path, body && JSON.stringify(body));
      expect(status, JSON.stringify(json)).to.equal(200);
    };
    await act(reserved, 'capture', { amount: 10 });
    await act(settled, 'refund');
    const from = new Date();
    await service.command('payments', 'reconcile', String(waiting));
    const fetched = { paymentRequestId: waiting, call: 'fetchStatus', at: { $gt: from } };
    await until('it is fetched after the move', async () => {
      return (await service.connection.collection('exchanges').countDocuments(fetched)) > 0;
    });
    await waitForStatus(paid, 2);
    await act(paid, 'refund');

    expect(await accountsOf(reserved, 'capture')).to.deep.equal(['adyen/books']);
    expect(await accountsOf(settled, 'refund')).to.deep.equal(['provider-b/books']);
    expect(await accountsOf(waiting, 'fetchStatus')).to.deep.equal(['provider-b/books']);
    expect(await accountsOf(paid, 'refund')).to.deep.equal(['adyen/books']);
    await Promise.all([
      waitForStatus(reserved, 2),
      waitForStatus(settled, 4),
      waitForStatus(coming, 2),
      until(
        'the refund at Adyen is confirmed',
        async () => (await payments().countDocuments({ _id: paid, statusId: 4 })) === 1,
        60_000,
      ),
    ]);
    expect((await get(books, `/payment-requests/${reserved}`)).json.grossAmount).to.equal(10);
    await pay(books, '/payments/h2h/22', cardBody(approved), 'adyen/main');
    await payByRules(books, 'provider-b/main');
    const alarms = service.connection.collection('alarms');
    expect(
      await alarms.countDocuments({ kind: { $in: ['callback_of_other_account', 'event_without_effect'] } }),
    ).to.equal(0);
  });

  it('see only their own payments and accounts in lists, reports and the portal', async () => {
    const accountsIn = async (name: keyof typeof merchants): Promise<readonly unknown[]> => {
      const list = (await get(name, '/payment-requests?limit=100')).json.items as { providerAccount: string }[];
      const report = (await get(name, '/reports/payments?groupBy=providerAccount')).json.items as typeof list;
      return [list, report].map((some) => [...new Set(some.map((one) => one.providerAccount))].toSorted());
    };
    const ofBooks = ['adyen/books', 'adyen/main', 'provider-b/books', 'provider-b/main'];
    expect(await accountsIn(books)).to.deep.equal([ofBooks, ofBooks]);
    expect(await accountsIn(tea)).to.deep.equal([['adyen/tea'], ['adyen/tea']]);
    for (const path of ['/payment-requests', '/reports/payments'])
      expect((await get(tea, `${path}?providerAccount=adyen/books`)).json.items, path).to.deep.equal([]);

    const portalOf = async (name: string): Promise<string> => {
      const { url } = JSON.parse(await service.command('owners', 'portal', name, '--json')) as { readonly url: string };
      const browser = new FormBrowser(service.url);
      const { pathname, search } = new URL(url);
      expect((await browser.get(`${pathname}${search}`)).status).to.equal(200);
      return (await browser.get('/portal/payments')).text;
    };
    const [shownToBooks, shownToTea] = [await portalOf(books), await portalOf(tea)];
    expect(shownToBooks).to.contain('provider-b/books').and.not.contain('adyen/tea');
    expect(shownToTea)
      .to.contain('/portal/payments/')
      .and.not.match(/(adyen|provider-b)\/(books|main)/);
    for (const text of [shownToBooks, shownToTea]) expect(text).to.not.match(/BooksECOM|TeaECOM|-key-/);
  });
});

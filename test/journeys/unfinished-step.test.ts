/** A payer leaves the bank's page or another open step, comes back, and pays another way. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { makeToken } from '../../core/engine/payments/three-ds/token.ts';
import { payer } from '../support/bodies.ts';
import { openAction, postForm, press, type Redirect } from '../support/payer.ts';
import { makeDue, toTestPayment, type TestPayment } from '../support/scenarios.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';

const expiration = `12/${String(new Date().getUTCFullYear() + 3).slice(2)}`;
const card = (number: string) => ({ ...payer, number, expiration, cvv: '737' });
const challenged = '4000000000003220';
const approved = '4111111111111111';

async function textOf(page: Response): Promise<string> {
  const [, body = ''] = /<body[^>]*>(.*)<\/body>/s.exec(await page.clone().text()) ?? [];
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

describe('a step that the payer left', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-a', 'upi', 'crypto'],
      config: (config) => {
        config.server.trustedProxies = 1;
        config.routes = [
          { id: 1, when: { method: ['card'] }, use: ['provider-a'], fallback: false },
          { id: 2, when: { method: ['upi_collect'] }, use: ['upi'], fallback: false },
          { id: 3, when: { method: ['crypto'] }, use: ['crypto'], fallback: false },
        ];
      },
    });
  });
  after(async () => gateway.close());

  interface Link {
    readonly payment: TestPayment;
    readonly url: string;
    readonly open: (query?: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
    readonly send: (number: string, attempts: number) => Promise<Response>;
  }

  async function makeLink(more: Readonly<Record<string, unknown>> = {}): Promise<Link> {
    const made = await gateway.post('/payment-requests', { amount: 61, unit: 'EUR', ...more });
    const url = made.json.paymentRequest.link as string;
    const open: Link['open'] = async (query = '', headers = {}) => fetch(url + query, { redirect: 'manual', headers });
    const send: Link['send'] = async (number, attempts) =>
      postForm(url, { way: 'card', attempts: String(attempts), ...card(number) });
    return { payment: toTestPayment(gateway, made), url, open, send };
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  const load = async ({ id }: Pick<TestPayment, 'id'>): Promise<any> =>
    gateway.gateway.connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: id });
  const payByApi = async ({ id }: Pick<TestPayment, 'id'>, query = ''): Promise<Answer> =>
    gateway.post(`/payments/creditCard/${id}${query}`, card(approved));
  const outcomesOf = async (payment: TestPayment): Promise<readonly string[]> =>
    (await load(payment)).attempts.map(({ outcome }: { readonly outcome: string }) => outcome);

  it('asks whether to continue or to pay another way, and leads to the bank only right after the form', async () => {
    const { payment, url, open, send } = await makeLink();
    const sent = await send(challenged, 0);
    const led = await (await fetch(new URL(sent.headers.get('location')!, url))).text();
    expect(led).to.match(/content="0;url=http:\/\/127\.0\.0\.1:\d+\/v1\/challenge\//);
    const again = await open();
    const page = await again.text();
    expect(page).to.include('Your payment isn’t finished').and.include('Pay another way</a>');
    expect(page).not.to.match(/http-equiv|id="go"|name="number"/);
    expect(page).to.match(
      /<a class="main" href="http:\/\/127\.0\.0\.1:\d+\/v1\/challenge\/[^"]+">Continue this payment<\/a>/,
    );
    const other = await (await open('&other=1')).text();
    expect(other).to.include('name="number"').and.include('If you pay another way, it ends.');
    expect(other).to.include('name="attempts" value="1"').and.not.include('http-equiv');
    const paid = await send(approved, 1);
    expect([paid.status, new URL(paid.headers.get('location')!, url).href]).to.deep.equal([303, url]);
    await payment.waitForStatus(2);
    expect(await outcomesOf(payment)).to.deep.equal(['failed', 'succeeded']);
  });

  it('is replaced by the API, and its bank page then leads to the state of the payment without a call', async () => {
    const { payment, send } = await makeLink();
    await send(challenged, 0);
    const { action } = (await gateway.get(`/payment-requests/${payment.id}`)).json as { readonly action?: Redirect };
    expect(action).to.equal(undefined);
    const [before] = (await load(payment)).attempts;
    const challenge = `${gateway.sandboxes['provider-a']!}/v1/challenge/${before.providerReference}`;
    expect((await payByApi(payment)).status).to.equal(200);
    expect(await payment.view()).to.include({ paymentRequestStatusId: 2, grossAmount: 61 });
    const back = await press(await openAction({ type: 'redirect', method: 'GET', url: challenge }), 'result', 'pass');
    const returned = await fetch(back.headers.get('location')!, { redirect: 'manual' });
    expect(returned.status).to.be.oneOf([200, 303]);
    const resumed = await payByApi(payment, `?transaction3dsId=${before.steps[0].transactionId}`);
    expect(resumed.status).to.equal(200);
    await gateway.work();
    const after = await load(payment);
    expect(after.attempts[0]).to.include({ outcome: 'failed', decline: null });
    expect(after.attempts[0].steps[0]).to.include({ takenAt: null, doneAt: null });
    expect(after.statusId).to.equal(2);
  });

  it('is shown as the payment is now to a visitor with a token of the replaced attempt', async () => {
    const { payment, send } = await makeLink({ successUrl: 'https://shop.example/ok' });
    await send(challenged, 0);
    await send(challenged, 1);
    const { attempts } = await load(payment);
    const facts = { paymentRequestId: String(payment.id), attempt: 1, nonce: attempts[0].steps[0].nonce as string };
    const { tokenSecrets = [], tokenTtlSeconds } = gateway.run.config.threeDs;
    const token = makeToken({ tokenSecrets, tokenTtlSeconds }, facts, new Date());
    const visit = async () => fetch(`${gateway.url}/pay/${payment.id}?t=${token}`, { redirect: 'manual' });
    const waits = await visit();
    expect([waits.status, await textOf(waits)]).to.satisfy(([status, text]: [number, string]) => {
      return status === 200 && text.includes('Processing your payment');
    });
    const body = {
      threeDSMethodData: Buffer.from(JSON.stringify({ threeDSServerTransID: crypto.randomUUID() })).toString(
        'base64url',
      ),
    };
    expect((await postForm(`${gateway.url}/callbacks/3ds?t=${token}`, body)).status).to.equal(303);
    await gateway.work();
    const after = await load(payment);
    expect(
      after.attempts.map((one: { readonly steps: readonly { readonly takenAt: unknown }[] }) => one.steps[0]!.takenAt),
    ).to.deep.equal([null, null]);
    expect(after.attempts[1].fetchesRequested).to.equal(0);
    await send(approved, 2);
    await payment.waitForStatus(2);
    expect((await visit()).headers.get('location')).to.equal('https://shop.example/ok');
  });

  it('is replaced by one of two tabs that pay at the same time', async () => {
    const { payment, send } = await makeLink();
    await send(challenged, 0);
    await Promise.all([send(approved, 1), send(approved, 1), send(approved, 1)]);
    await payment.waitForStatus(2);
    expect(await outcomesOf(payment)).to.deep.equal(['failed', 'succeeded']);
  });

  it('is completed, not replaced, if it was taken, although its process died before the call', async () => {
    const { payment, send } = await makeLink();
    await send(challenged, 0);
    const requests = gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
    // As a process stores it that takes the step and dies before it calls the provider.
    await requests.updateOne(
      { _id: payment.id },
      { $set: { 'attempts.0.steps.0.takenAt': new Date() }, $inc: { version: 1 } },
    );
    const refused = await payByApi(payment);
    expect([refused.status, refused.json.code]).to.deep.equal([400, 'PAY004']);
    const cancelled = await gateway.post(`/payment-requests/${payment.id}/cancel`, undefined);
    expect(cancelled.json.code).to.equal('PAY004');
    expect((await send(approved, 1)).status).to.be.oneOf([303, 400]);
    expect(await outcomesOf(payment)).to.deep.equal(['open']);
    const [attempt] = (await load(payment)).attempts;
    const challenge = `${gateway.sandboxes['provider-a']!}/v1/challenge/${attempt.providerReference}`;
    await press(await openAction({ type: 'redirect', method: 'GET', url: challenge }), 'result', 'pass');
    await makeDue(payment);
    await payment.waitForStatus(2);
    expect(await outcomesOf(payment)).to.deep.equal(['succeeded']);
  });

  it('shows from when on the payer can pay another way if it may charge, and so does PAY004', async () => {
    const { payment, open } = await makeLink({ unit: 'INR' });
    const { name, phoneNumber } = payer;
    await gateway.post(`/payments/upi/${payment.id}`, { ...payer, name, phoneNumber, upiId: 'hold@upi' });
    const page = await textOf(await open());
    expect(page).to.include('You can pay another way from ').and.not.include('Pay another way ');
    expect(await textOf(await open('&other=1'))).to.include('Approve the request in your UPI app');
    const refused = await payByApi(payment);
    expect(refused.json).to.include({ code: 'PAY004' });
    expect(Date.parse(refused.json.details.until as string)).to.be.greaterThan(Date.now());
    expect(refused.json.message).to.include(refused.json.details.until);
  });

  it('is cancelled by the merchant, and its link then says so', async () => {
    const { payment, open, send } = await makeLink();
    await send(challenged, 0);
    expect((await gateway.post(`/payment-requests/${payment.id}/cancel`, undefined)).status).to.equal(200);
    expect(await payment.view()).to.include({ paymentRequestStatusId: 5, transactionStatusId: 3 });
    expect(await textOf(await open())).to.include('Payment cancelled');
  });

  describe('with the address of a provider’s cancel button', () => {
    const cancelAddress = ({ id }: TestPayment): string => `${gateway.payPage(id)}&cancelled=1`;

    it('shows the ways to pay to the browser that opened the link, and completes nothing', async () => {
      const { payment, open, send } = await makeLink({ failureUrl: 'https://shop.example/no' });
      const cookie = (await open()).headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      await send(challenged, 0);
      const page = await fetch(cancelAddress(payment), { redirect: 'manual', headers: { Cookie: cookie } });
      const html = await page.clone().text();
      expect(await textOf(page))
        .to.include('You cancelled the payment')
        .and.include('Choose how you’d like to pay.');
      expect(html).to.include('name="number"').and.not.include('http-equiv');
      await gateway.work();
      const { attempts } = await load(payment);
      expect(attempts[0].steps[0]).to.include({ takenAt: null });
      expect(attempts[0].fetchesDone).to.equal(1);
      await press(page, 'way', 'card', card(approved));
      await payment.waitForStatus(2);
    });

    it('leads any other browser to `failureUrl` if nothing can be charged, and to `successUrl` once it is paid', async () => {
      const { payment, send } = await makeLink({
        failureUrl: 'https://shop.example/no',
        successUrl: 'https://shop.example/ok',
      });
      const other = await makeLink();
      const cookie = (await other.open()).headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      const visit = async () => fetch(cancelAddress(payment), { redirect: 'manual', headers: { Cookie: cookie } });
      await send(challenged, 0);
      expect((await visit()).headers.get('location')).to.equal('https://shop.example/no');
      await send(approved, 1);
      await payment.waitForStatus(2);
      expect((await visit()).headers.get('location')).to.equal('https://shop.example/ok');
    });

    it('shows the waiting page to any other browser while the step may charge', async () => {
      const { payment } = await makeLink({ unit: 'INR', failureUrl: 'https://shop.example/no' });
      await gateway.post(`/payments/upi/${payment.id}`, { ...payer, upiId: 'hold@upi' });
      const page = await fetch(cancelAddress(payment), { redirect: 'manual' });
      expect([page.status, await textOf(page)]).to.satisfy(([status, text]: [number, string]) => {
        return status === 200 && text.includes('Processing your payment');
      });
    });
  });

  it('brings the payer back by POST once it is finished, with an empty body or with fields of the bank', async () => {
    const body = { ...card(challenged), amount: 25.9, unit: 'EUR', successUrl: 'https://shop.example/ok' };
    for (const fields of [{}, { MD: 'x', PaRes: 'y' }]) {
      const made = await gateway.post('/payments/h2h/11', body, { Accept: 'application/json' });
      const payment = toTestPayment(gateway, made);
      const back = await press(await openAction(payment.action as Redirect), 'result', 'pass');
      const returned = await fetch(back.headers.get('location')!, { redirect: 'manual' });
      const address = new URL(returned.headers.get('location')!);
      expect(address.searchParams.has('r')).to.equal(true);
      const posted = await postForm(address.href, fields);
      expect([posted.status, new URL(posted.headers.get('location')!, address).href]).to.deep.equal([
        303,
        address.href,
      ]);
      await until('the payer is at the shop', async () => {
        return (await fetch(address, { redirect: 'manual' })).headers.get('location') === 'https://shop.example/ok';
      });
    }
  });

  it('is opened two hundred times by a scanner, and the payer still pays', async () => {
    const { payment, url, open } = await makeLink();
    const scanner = { 'X-Forwarded-For': '198.51.100.7' };
    const statuses = new Set<number>();
    for (let n = 0; n < 200; n += 1) statuses.add((await open('', scanner)).status);
    expect([...statuses]).to.deep.equal([200, 429]);
    const own = { 'X-Forwarded-For': '198.51.100.90' };
    expect((await open('', own)).status).to.equal(200);
    const sent = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: own,
      body: new URLSearchParams({ way: 'card', attempts: '0', ...card(approved) }),
    });
    expect(sent.status).to.equal(303);
    await payment.waitForStatus(2);
  });
});

/**
 * Checks that a visit of the payer's page requests. Nothing else completes these payments, because the sandbox waits
 * longer than the test.
 */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { openAction, press } from '../support/payer.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';

describe('a visit of the payer’s page', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['token', 'provider-d'], delayMs: 600_000 });
  });
  after(async () => gateway.close());

  const makeChallengedPayment = async (): Promise<TestPayment> => {
    const body = { ...payer, token: 'tok_challenge', amount: 25.9, unit: 'EUR' };
    return toTestPayment(gateway, await gateway.post('/payments/h2h/51', body));
  };
  const visit = async ({ id }: TestPayment) => fetch(gateway.payPage(id), { redirect: 'manual' });
  const payments = () => gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
  const loadPayment = async ({ id }: TestPayment) =>
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
    (await payments().findOne({ _id: id })) as Record<string, any> | null;

  /** Waits until no check is requested for the payment. */
  const waitUntilIdle = async (payment: TestPayment) =>
    until('idle', async () => {
      const { attempts, lease } = (await loadPayment(payment))!;
      return lease.token === null && attempts[0].fetchesRequested === attempts[0].fetchesDone;
    });

  it('completes the step immediately, also within seconds after the submission', async () => {
    const payment = await makeChallengedPayment();
    await press(await openAction(payment.action), 'result', 'pass');
    await visit(payment);
    await payment.waitForStatus(2);
  });

  it('fetches the status immediately when the payer returns from a page', async () => {
    const body = { ...payer, amount: 25.9, unit: 'PT' };
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/27', body));
    const paid = await press(await openAction(payment.action), 'choice', 'pay', { pan: '4111111111111111' });
    expect(paid.status).to.equal(303);
    await visit(payment); // D's signed return was lost.
    await payment.waitForStatus(2);
  });

  it('changes nothing while the payer is not done, however often the page polls', async () => {
    const payment = await makeChallengedPayment();
    const { action } = payment;
    const { attempts: before, logs } = (await loadPayment(payment))!;
    // Simulates that the page's quiet time has passed.
    const endQuietTime = async () =>
      payments().updateOne({ _id: payment.id }, { $set: { 'attempts.0.visitedAt': new Date(0) } });
    for (let visits = 1; visits <= 5; visits += 1) {
      await visit(payment);
      await waitUntilIdle(payment);
      await endQuietTime();
    }
    const after = (await loadPayment(payment))!;
    expect(after['attempts'][0].fetchesDone).to.be.greaterThan(1);
    // It also uses none of the later checks of the adapter's policy.
    expect(after['attempts'][0].checks).to.equal(0);
    expect(after['attempts'][0].steps).to.deep.equal(before[0].steps);
    expect(after['logs']).to.deep.equal(logs);
    // The payer is not late either.
    await press(await openAction(action), 'result', 'pass');
    await visit(payment);
    await payment.waitForStatus(2);
  });

  it('says without the token of the return address only that the payment is checked, and calls no provider', async () => {
    const body = { successUrl: 'https://shop.example/?token=marker', ...payer, token: 'tok_approve' };
    const paid = await gateway.post('/payments/h2h/51', { ...body, amount: 25.9, unit: 'EUR' });
    const open = await makeChallengedPayment();
    const known = [paid.json.paymentRequest.id as number, open.id];
    const bare = [...known, 1].flatMap((id) => [
      `/pay/${id}`,
      `/pay/${id}?r=`,
      `/pay/${id}${new URL(gateway.payPage(id + 1)).search}`,
    ]);
    // A link that is mistyped or cut off: no answer tells whether its payment exists.
    const wrong = [...known.map((id) => `/pay/${id}?r=AAAAAAAAAAAAAAAA&k=AAAAAAAAAAAAAAAAAAAAAA`), '/pay/1?k=A'];
    for (const [paths, words] of [
      [bare, 'being checked'],
      [wrong, 'This link isn’t valid'],
    ] as const) {
      const pages = await Promise.all(
        paths.map(async (path) => {
          const reply = await fetch(gateway.url + path, { redirect: 'manual' });
          // The links of the languages keep the address that the visitor opened.
          const text = (await reply.text()).replaceAll(/ href="\?[^"]*" lang=/g, ' lang=');
          return `${reply.status} ${reply.headers.get('location')} ${text}`;
        }),
      );
      expect(new Set(pages).size).to.equal(1);
      expect(pages[0])
        .to.match(/^200 null /)
        .and.include(words)
        .and.not.include('marker');
    }
    expect((await loadPayment(open))!['attempts'][0].fetchesRequested).to.equal(0);
  });

  it('leads with that token to the shop once the payment has ended', async () => {
    const body = { ...payer, token: 'tok_challenge', amount: 25.9, unit: 'EUR', successUrl: 'https://shop.example/' };
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/51', body));
    const open = await visit(payment);
    expect([open.status, (await open.text()).includes('http-equiv="refresh"')]).to.deep.equal([200, true]);
    await press(await openAction(payment.action), 'result', 'pass');
    await until(
      'back at the shop',
      async () => (await visit(payment)).headers.get('location') === 'https://shop.example/',
    );
  });

  for (const [token, ending, member] of [
    ['tok_approve', 2, 'successUrl'],
    ['tok_decline_05', 3, 'failureUrl'],
  ] as const) {
    it(`fills the placeholders of \`${member}\`, and returns the address as it was sent`, async () => {
      const referenceId = 'Nº 7/a & b#c?d=1 注文';
      const address = 'https://shop.example/{referenceId}/done?payment={paymentRequestId}&x={other}#{referenceId}';
      const body = { ...payer, token, amount: 25.9, unit: 'EUR', referenceId, [member]: address };
      const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/51', body));
      expect(await payment.waitForStatus(ending)).to.include({ [member]: address, referenceId });
      const encoded = encodeURIComponent(referenceId);
      const filled = `https://shop.example/${encoded}/done?payment=${payment.id}&x={other}#${encoded}`;
      expect((await visit(payment)).headers.get('location')).to.equal(filled);
      const { link } = (await gateway.get(`/payment-requests/${payment.id}`)).json;
      const page = await fetch(String(link), { redirect: 'manual' });
      expect(await page.text()).to.include(`href="${filled.replaceAll('&', '&amp;')}" target="_top"`);
    });
  }

  it('checks less and less often while a page is left open', async () => {
    const payment = await makeChallengedPayment();
    const setTimes = async (openedMs: number, visitedMs: number) => {
      const at = (ms: number): Date => new Date(Date.now() - ms);
      const times = { 'attempts.0.openedAt': at(openedMs), 'attempts.0.visitedAt': at(visitedMs) };
      await payments().updateOne({ _id: payment.id }, { $set: times });
    };
    const requests = async (): Promise<number> => {
      await visit(payment);
      await waitUntilIdle(payment);
      return (await loadPayment(payment))!['attempts'][0].fetchesRequested as number;
    };
    const first = await requests();
    await setTimes(600_000, 50_000);
    expect(await requests()).to.equal(first);
    await setTimes(600_000, 61_000);
    expect(await requests()).to.equal(first + 1);
  });

  it('checks only a handful of times for 100 concurrent visits', async () => {
    const payment = await makeChallengedPayment();
    await Promise.all(Array.from({ length: 100 }, async () => visit(payment)));
    await gateway.work();
    const { items } = (await gateway.get(`/payment-requests/${payment.id}/timeline`)).json;
    const calls = items.filter(({ kind, call }: Record<string, string>) => kind === 'request' && call !== 'submit');
    expect(calls.length).to.be.within(1, 6);
  });

  it('works for the payer when others guessed the id, however often they visit with wrong tokens', async () => {
    const payment = await makeChallengedPayment();
    const visitGuessedId = async (n: number): Promise<number> =>
      (await fetch(`${gateway.url}/pay/${payment.id}?${['k', 'r', 't'][n % 3]}=${'A'.repeat(22)}`)).status;
    const statuses = await Promise.all(Array.from({ length: 130 }, async (_, n) => visitGuessedId(n)));
    // 60 per calendar minute, and the minute may have ended during the visits.
    expect(statuses.filter((status) => status === 429).length).to.be.at.least(10);
    expect((await visit(payment)).status).to.equal(200);
  });
});

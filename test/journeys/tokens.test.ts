import { expect } from 'chai';
import { after, before, describe } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { waitForChargeback, makeDue, refunds, describeScenarios, type Check } from '../support/scenarios.ts';

const path = '/payments/h2h/51';
const body = (token: string, amount = 25.9, more: object = {}) => ({ ...payer, token, amount, unit: 'EUR', ...more });
const declined = (declineCode: string) => ({ status: 400, code: 'PAY001', details: { declineCode } });

describe('a card token', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['token'] });
  });
  after(async () => {
    await gateway.close();
    expect(gateway.logged.join('')).not.to.match(/tok_/);
  });

  /** Events of the token's life that the vault reports are stored, and change no payment. */
  const hasTokenEvent =
    (word: string): Check =>
    async () => {
      const inbox = gateway.gateway.connection.collection('inbox');
      await until(
        `${word} done`,
        async () => (await inbox.countDocuments({ 'events.event.providerStatus': word, state: 'done' })) > 0,
      );
    };

  describeScenarios(
    () => gateway,
    [
      { title: 'is charged', path, body: body('tok_approved'), ends: 2, with: { paymentMethodId: 2 } },
      ...['05', '51', '54', '57', '61'].map((code) => {
        return {
          title: `is declined with ${code}`,
          path,
          body: body(`tok_decline_${code}`),
          answers: declined(code),
          ends: 3,
        };
      }),
      { title: 'is charged later', path, body: body('tok_pending_ok'), ends: 2 },
      { title: 'is declined later', path, body: body('tok_pending_05'), ends: 3 },
      { title: 'is never charged', path, body: body('tok_pending'), acts: makeDue, ends: 1 },
      { title: 'is charged although the answer is lost', path, body: body('tok_lost'), ends: 2 },
      { title: 'is refunded without a request', path, body: body('tok_refund'), ends: 4 },
      {
        title: 'is charged back',
        path,
        body: body('tok_dispute'),
        acts: waitForChargeback,
        ends: 2,
        with: { chargedBack: true },
      },
      { title: 'is updated', path, body: body('tok_updated'), ends: 2, check: hasTokenEvent('token.updated') },
      { title: 'becomes active', path, body: body('tok_active'), ends: 2, check: hasTokenEvent('token.active') },
      {
        title: 'is suspended',
        path,
        body: body('tok_suspended'),
        answers: declined('57'),
        ends: 3,
        check: hasTokenEvent('token.suspended'),
      },
      {
        title: 'is deleted',
        path,
        body: body('tok_deleted'),
        answers: declined('54'),
        ends: 3,
        check: hasTokenEvent('token.deleted'),
      },
      { title: 'is refused when it is not a token', path, body: body('other'), answers: declined('05'), ends: 3 },
      { title: 'is refunded in parts', path, body: body('tok_approved'), acts: refunds(5, undefined), ends: 4 },
      {
        title: 'is refunded, and the refund comes back',
        path,
        body: body('tok_approved', 25.59),
        async acts(payment) {
          await refunds(undefined)(payment);
          await until('reversed', async () => {
            const { json } = await gateway.get(`/payment-requests/${payment.id}`);
            return json.logs.some((log: { message: string }) => /refund reversed/.test(log.message));
          });
        },
        ends: 2,
      },
      { title: 'is reported out of order', path, body: body('tok_pending_ok', 25.56), ends: 2 },
      { title: 'is reported first with a wrong signature', path, body: body('tok_pending_ok', 25.57), ends: 2 },
    ],
  );
});

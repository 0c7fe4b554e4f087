import { expect } from 'chai';
import { after, before, describe } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';
import { waitForChargeback, makeDue, refunds, describeScenarios, type Check } from '../support/scenarios.ts';

const path = '/payments/h2h/51';
const body = (token: string, amount = 25.9, more: object = {}) => ({ ...payer, token, amount, unit: 'EUR', ...more });
const declined = (declineCode: string) => ({ status: 400, code: 'PAY001', details: { declineCode } });

describe('card tokens', () => {
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
      { title: 'are charged', path, body: body('tok_approved'), ends: 2, with: { paymentMethodId: 2 } },
      ...['05', '51', '54', '57', '61'].map((code) => {
        return {
          title: `are declined with ${code}`,
          path,
          body: body(`tok_decline_${code}`),
          answers: declined(code),
          ends: 3,
        };
      }),
      { title: 'are charged later', path, body: body('tok_pending_ok'), ends: 2 },
      { title: 'are declined later', path, body: body('tok_pending_05'), ends: 3 },
      { title: 'are never charged', path, body: body('tok_pending'), acts: makeDue, ends: 1 },
      { title: 'are charged although the answer is lost', path, body: body('tok_lost'), ends: 2 },
      { title: 'are refunded without a request', path, body: body('tok_refund'), ends: 4 },
      {
        title: 'are charged back',
        path,
        body: body('tok_dispute'),
        acts: waitForChargeback,
        ends: 2,
        with: { chargedBack: true },
      },
      { title: 'are updated', path, body: body('tok_updated'), ends: 2, check: hasTokenEvent('token.updated') },
      { title: 'become active', path, body: body('tok_active'), ends: 2, check: hasTokenEvent('token.active') },
      {
        title: 'are suspended',
        path,
        body: body('tok_suspended'),
        answers: declined('57'),
        ends: 3,
        check: hasTokenEvent('token.suspended'),
      },
      {
        title: 'are deleted',
        path,
        body: body('tok_deleted'),
        answers: declined('54'),
        ends: 3,
        check: hasTokenEvent('token.deleted'),
      },
      { title: 'are refused when they are not tokens', path, body: body('other'), answers: declined('05'), ends: 3 },
      { title: 'are refunded in parts', path, body: body('tok_approved'), acts: refunds(5, undefined), ends: 4 },
      {
        title: 'are refunded, and the refund comes back',
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
      { title: 'are reported out of order', path, body: body('tok_pending_ok', 25.56), ends: 2 },
      { title: 'are reported first with a wrong signature', path, body: body('tok_pending_ok', 25.57), ends: 2 },
    ],
  );
});

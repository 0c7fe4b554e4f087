import type { HttpReply, StatusReport, StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fetchStatus } from '../fetch-status.ts';
import stripe from '../index.ts';
import { harness, intent, PI } from './messages.ts';

const { now, recordCall, stored, unanswered } = harness;

const list = (data: readonly object[], has_more = false): HttpReply => reply(200, { object: 'list', data, has_more });

async function ask(
  answers: readonly HttpReply[],
  payment: StoredPayment = stored,
): Promise<{ report: StatusReport; requests: string[] }> {
  const { result: report, requests } = await recordCall(answers, (ctx) => fetchStatus(payment, ctx));
  return { report, requests: requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`) };
}

describe('fetchStatus', () => {
  it('reports nothing if refunds or disputes are missing or incomplete', async () => {
    const disputed = reply(200, intent({ latest_charge: { id: 'ch_1', object: 'charge', disputed: true } }));
    for (const answers of [
      [reply(200, intent()), reply(500)],
      [reply(200, intent()), list([], true)],
      [disputed, list([]), reply(500)],
      [disputed, list([]), list([], true)],
    ]) {
      expect((await ask(answers)).report.result).to.equal('no_information');
    }
  });

  it('requests disputes if the charge has one, and if the charge is not shown', async () => {
    const undisputed = reply(200, intent({ latest_charge: { id: 'ch_1', object: 'charge', disputed: false } }));
    const paid = `GET /v1/payment_intents/${PI}`;
    expect((await ask([undisputed, list([])])).requests).to.deep.equal([paid, 'GET /v1/refunds']);
    const unshown = await ask([reply(200, intent()), list([]), list([])]);
    expect(unshown.requests).to.deep.equal([paid, 'GET /v1/refunds', 'GET /v1/disputes']);
  });

  for (const [name, members, providerStatus] of [
    ['in part, the rest released', { status: 'succeeded' }, 'succeeded'],
    ['in part, the rest still reserved', { status: 'requires_capture' }, 'requires_capture:captured'],
    ['in part, the rest cancelled', { status: 'canceled', cancellation_reason: 'void_invoice' }, 'canceled:captured'],
  ] as const) {
    it(`reports the sum that was captured in the Dashboard: ${name}`, async () => {
      const captured = reply(200, intent({ ...members, capture_method: 'manual', amount_received: 500 }));
      const { report, requests } = await ask([captured, list([]), list([])]);
      const [event] = report.result === 'events' ? report.events : [];
      expect(event).to.include({ providerStatus, amount: '25.90', capturedAmount: '5.00', currency: 'EUR' });
      expect(event?.dedupeKey).to.equal(`${PI}:${providerStatus}:500`);
      expect(stripe.mapStatus(event!, 'fetch')).to.equal('succeeded');
      expect(requests.slice(1)).to.deep.equal(['GET /v1/refunds', 'GET /v1/disputes']);
    });
  }

  it('reports a failure at Checkout only if the payer completed the session', async () => {
    const failure = { code: 'payment_intent_payment_attempt_failed', message: 'The debit failed.', type: 'card_error' };
    const metadata = { gateway_reference: 'GW-10042-1', gateway_flow: 'page' };
    const failed = { status: 'requires_payment_method', amount_received: 0, last_payment_error: failure, metadata };
    const at = async (status: string, members: object) => {
      const session = {
        id: 'cs_test_1',
        object: 'checkout.session',
        status,
        url: null,
        client_reference_id: 'GW-10042-1',
        amount_total: 2590,
        currency: 'eur',
        livemode: false,
        payment_intent: intent({ ...members }),
      };
      const payment = { ...stored, adapterState: { session: 'cs_test_1' } };
      const { report } = await ask([reply(200, session)], payment);
      const [event] = report.result === 'events' ? report.events : [];
      return event && stripe.mapStatus(event, 'fetch');
    };
    expect(await at('open', failed)).to.equal('pending');
    expect(await at('complete', failed)).to.equal('failed');
    expect(await at('complete', { ...failed, status: 'processing', last_payment_error: null })).to.equal('pending');
  });

  it('reports nothing if our reference finds two payments, or a payment of another shop', async () => {
    const other = { ...intent(), metadata: { gateway_reference: 'GW-1-1' } };
    for (const data of [[intent(), { ...intent(), id: 'pi_2' }], [other]]) {
      const { report } = await ask([reply(200, { object: 'search_result', data, has_more: false })], unanswered);
      expect(report.result).to.equal('no_information');
    }
  });

  describe('a challenge that no payer finished within a day', () => {
    const old = { ...stored, endedAt: new Date(now.getTime() - 86_400_000) };
    const open = { status: 'requires_action', amount_received: 0 };
    const statusOf = ({ report }: { report: StatusReport }) =>
      report.result === 'events' && report.events[0]?.providerStatus;

    it('is only fetched before the day is over', async () => {
      const young = { ...stored, endedAt: new Date(now.getTime() - 86_399_999) };
      const asked = await ask([reply(200, intent(open))], young);
      expect(asked.requests).to.deep.equal([`GET /v1/payment_intents/${PI}`]);
    });

    it('has the status that the cancellation finds, even if the payer was faster', async () => {
      const refused = reply(400, { error: { type: 'invalid_request_error', code: 'payment_intent_unexpected_state' } });
      const ended = reply(200, intent({ status: 'canceled', cancellation_reason: 'abandoned', amount_received: 0 }));
      expect(statusOf(await ask([reply(200, intent(open)), ended], old))).to.equal('canceled:abandoned');
      expect(statusOf(await ask([reply(200, intent(open)), refused], old))).to.equal('requires_action');
    });

    it('is left to the session at Checkout', async () => {
      const atCheckout = intent({ ...open, metadata: { gateway_reference: 'GW-10042-1', gateway_flow: 'page' } });
      const asked = await ask([reply(200, atCheckout)], old);
      expect(asked.requests).to.deep.equal([`GET /v1/payment_intents/${PI}`]);
    });
  });
});

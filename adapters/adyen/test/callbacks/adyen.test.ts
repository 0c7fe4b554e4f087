import { basicAuthorization } from '@paywright/contract';
import { hmacValidator as HmacValidator } from '@adyen/api-library';
import { fixture } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mapStatus, silentCodes } from '../../statuses.ts';
import { harness, psp } from '../messages.ts';

const { options } = harness;

/** Delivers a webhook as Adyen posts it. */
const deliver = (body: object, password = options.webhookPasswords[0]!) =>
  harness.deliver({
    headers: [['Authorization', basicAuthorization(options.webhookUser, password)]],
    body: JSON.stringify(body),
  });

const validator = new HmacValidator();

/** An item that Adyen's own library signs. */
function item(more: object = {}, key = options.hmacKeys[0]!): object {
  const unsigned = {
    amount: { currency: 'EUR', value: 2590 },
    eventCode: 'AUTHORISATION',
    eventDate: '2026-03-02T10:15:30+01:00',
    merchantAccountCode: options.merchantAccount,
    merchantReference: 'GW-10042-1',
    pspReference: psp,
    reason: '',
    success: 'true',
    ...more,
  };
  const signed = unsigned as unknown as Parameters<typeof validator.calculateHmac>[0];
  const hmacSignature = validator.calculateHmac(signed, key);
  const { additionalData = {} } = more as { additionalData?: object };
  return { NotificationRequestItem: { ...unsigned, additionalData: { ...additionalData, hmacSignature } } };
}
const batch = (...items: readonly object[]): object => ({ live: 'false', notificationItems: items });

/** Every event code of Adyen’s OpenAPI document of webhooks. */
const { webhooks } = fixture(import.meta.url, 'openapi.json') as {
  readonly webhooks: { readonly eventCodes: readonly string[] };
};

describe("Adyen's callback route", () => {
  it('accepts webhooks that Adyen’s library signed, under each key and each password', async () => {
    for (const key of options.hmacKeys) {
      for (const password of options.webhookPasswords) {
        const { verdict, events } = await deliver(batch(item({}, key)), password);
        expect([verdict, events[0]?.status]).to.deep.equal(['genuine', 'succeeded']);
      }
    }
  });

  it('refuses a missing or wrong password, and a signature of another key', async () => {
    expect((await deliver(batch(item()), 'another')).verdict).to.equal('invalid_signature');
    expect((await deliver(batch(item({}, 'cc'.repeat(32))))).verdict).to.equal('invalid_signature');
  });

  it('keeps the good items of a batch and counts the others', async () => {
    const others = [item({}, 'cc'.repeat(32)), item({ merchantAccountCode: 'Other' }), { odd: 1 }];
    const { verdict, events, refused } = await deliver(batch(others[0]!, item(), others[1]!, others[2]!));
    expect([verdict, events.length, refused]).to.deep.equal(['genuine', 1, 3]);
  });

  it('reads each published event code as a status, or ignores it on purpose', async () => {
    for (const eventCode of webhooks.eventCodes) {
      const { events } = await deliver(batch(item({ eventCode, originalReference: psp })));
      const isSilent = silentCodes.has(eventCode);
      expect(events.length, eventCode).to.equal(isSilent ? 0 : 1);
      // Not one of our requests, and ambiguous: cancelled or refunded.
      const isUnknown = eventCode === 'CANCEL_OR_REFUND';
      if (!isSilent) expect(events[0]?.status === 'unknown', eventCode).to.equal(isUnknown);
    }
  });

  it('ignores our reference with an added suffix, and reports a reference that is not ours', async () => {
    const references = async (merchantReference: string) =>
      (await deliver(batch(item({ merchantReference })))).events[0];
    expect(await references('GW-10042-1-H')).to.include({ reference: 'GW-10042-1', status: 'authorised' });
    expect(await references('order-77')).to.include({ reference: 'order-77', status: 'succeeded' });
  });

  it('names the payment by its own reference, also in later items', async () => {
    const named = async (more: object) => {
      const [event] = (await deliver(batch(item(more)))).events;
      return [event?.providerReference, event?.subReference];
    };
    expect(await named({})).to.deep.equal([psp, undefined]);
    expect(await named({ eventCode: 'REFUND', pspReference: 'R', originalReference: psp })).to.deep.equal([psp, 'R']);
    expect(await named({ eventCode: 'CHARGEBACK', pspReference: 'D' })).to.deep.equal([null, 'D']);
    expect(await named({ eventCode: 'EXPIRE', pspReference: 'E', originalReference: '' })).to.deep.equal([
      null,
      undefined,
    ]);
  });

  it('shows the reason and deadline of a dispute, up to the size limit', async () => {
    const additionalData = { chargebackReasonCode: ' 4853', chargebackSchemeCode: 'mc', cardSummary: '1111' };
    const [event] = (await deliver(batch(item({ eventCode: 'CHARGEBACK', reason: 'x'.repeat(300), additionalData }))))
      .events;
    expect(event?.details).to.deep.equal({ reason: 'x'.repeat(200), reasonCode: '4853', scheme: 'mc' });
    expect((await deliver(batch(item({ reason: '038851:1111:03/2031' })))).events[0]).not.to.have.property('details');
  });

  for (const [eventCode, success, failedRequest, status] of [
    ['CAPTURE', 'false', 'capture', 'authorised'],
    ['CAPTURE_FAILED', 'true', 'capture', 'failed'],
    ['CANCELLATION', 'false', 'void', 'authorised'],
  ] as const) {
    it(`reports with ${eventCode}:${success} that a request failed, and the reason`, async () => {
      const reason = 'Insufficient balance on payment';
      const more = { eventCode, success, reason, originalReference: psp, merchantReference: 'GW-10042-1-C2' };
      const [event] = (await deliver(batch(item(more)))).events;
      expect(event).to.deep.include({ failedRequest, status, reference: 'GW-10042-1', details: { reason } });
    });
  }

  it('orders the stages of a dispute without trusting a time', async () => {
    const orders = await Promise.all(
      mapStatus.bySource.callback.chargeback!.map(async (word) => {
        const eventCode = word.split(':')[0]!;
        return (await deliver(batch(item({ eventCode })))).events[0]?.orderHint;
      }),
    );
    expect(orders).to.deep.equal(orders.map((_, at) => at));
  });
});

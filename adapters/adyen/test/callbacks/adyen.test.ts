import { basicAuthorization, type RawCallback } from '@paywright/contract';
import { hmacValidator as HmacValidator, Types } from '@adyen/api-library';
import { fixture } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { webhook } from '../../callbacks/adyen.ts';
import { isKnownCode, mapStatus, silentCodes } from '../../statuses.ts';
import { signCallback } from '../../sandbox/index.ts';
import { harness, psp } from '../messages.ts';

const { options } = harness;

const headersBy = (password: string): [string, string][] => [
  ['Authorization', basicAuthorization(options.webhookUser, password)],
];
const posted = { headers: headersBy(options.webhookPasswords[0]!) };

/** Delivers a webhook as Adyen posts it. */
const deliver = (body: object, password = options.webhookPasswords[0]!) =>
  harness.deliver({ headers: headersBy(password), body: JSON.stringify(body) });

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

/** An item without a signature, as Adyen sends it for events that are about no payment. */
function unsigned(eventCode: string, more: object = {}): object {
  const { NotificationRequestItem: signed } = item({ eventCode, ...more }) as { NotificationRequestItem: object };
  return { NotificationRequestItem: { ...signed, additionalData: undefined } };
}

const report = unsigned('REPORT_AVAILABLE', {
  amount: { currency: 'EUR', value: 0 },
  merchantReference: null,
  pspReference: 'settlement_detail_report_batch_1413.csv',
  reason: 'https://ca-test.adyen.com/reports/download/MerchantAccount/GatewayDemoECOM/report.csv',
});
const wrongKey = 'cc'.repeat(32);

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

  it('names the accounts of all items before it is verified, except for those about reports', () => {
    const hintOf = (body: unknown) =>
      webhook.accountHint!({ body: Buffer.from(JSON.stringify(body)) } as unknown as RawCallback);
    const other = item({ merchantAccountCode: 'Other' });
    const company = unsigned('REPORT_AVAILABLE', { merchantAccountCode: 'Company' });
    expect(hintOf(batch(item(), other, item(), company, { odd: 1 }))).to.deep.equal([options.merchantAccount, 'Other']);
    expect([hintOf(batch(company)), hintOf({ type: 'x' }), hintOf(7)]).to.deep.equal([[], undefined, undefined]);
  });

  it('says which items of a batch are refused', async () => {
    const verdict = await webhook.verifySignature(
      { ...posted, body: Buffer.from(JSON.stringify(batch(report, item({}, wrongKey), item(), { odd: 1 }))) } as never,
      harness.createContext([]),
    );
    if (!('verified' in verdict)) throw new Error('unreachable');
    const parsed = webhook.parseCallback(verdict.verified, harness.createContext([]));
    expect(parsed)
      .to.include({ refused: 2 })
      .and.to.deep.include({ refusedAt: [1, 3] });
  });

  it('accepts a batch of which no item can change anything, without a signature', async () => {
    const ignored = [
      report,
      unsigned('REPORT_AVAILABLE', { merchantAccountCode: 'GatewayDemo' }),
      item({ eventCode: 'MANUAL_REVIEW_REJECT', originalReference: psp }, wrongKey),
      unsigned('SOMETHING_NEW'),
    ];
    for (const one of [...ignored.map((each) => batch(each)), batch(...ignored)]) {
      const { verdict, events, acknowledgement } = await deliver(one);
      expect([verdict, events, acknowledgement.status]).to.deep.equal(['genuine', [], 200]);
      expect(acknowledgement.body).to.equal('[accepted]');
    }
  });

  it('accepts a webhook of another form, which is about no payment', async () => {
    const change = { type: 'ach.notificationOfChange', createdAt: '2026-03-02T10:15:30+01:00', data: {} };
    const { verdict, events, acknowledgement } = await deliver(change);
    expect([verdict, events, acknowledgement.status]).to.deep.equal(['genuine', [], 200]);
    expect((await deliver(change, 'another')).acknowledgement.status).to.equal(401);
    expect((await deliver({ live: 'false' })).acknowledgement.status).to.equal(400);
  });

  it('accepts a batch of good items and of items that can change nothing', async () => {
    const { verdict, events, acknowledgement, refused } = await deliver(batch(report, item()));
    expect([verdict, events[0]?.status, refused]).to.deep.equal(['genuine', 'succeeded', 0]);
    expect(acknowledgement.status).to.equal(200);
  });

  it('refuses a batch with an unsigned or wrongly signed item that can change something', async () => {
    const codes = ['AUTHORISATION', 'CAPTURE', 'CANCEL_OR_REFUND', 'REFUND', 'CHARGEBACK', 'PENDING'];
    for (const eventCode of codes) {
      for (const bad of [unsigned(eventCode), item({ eventCode }, wrongKey)]) {
        expect((await deliver(batch(bad))).acknowledgement.status, eventCode).to.equal(401);
        expect((await deliver(batch(report, bad))).verdict, eventCode).to.equal('invalid_signature');
        const mixed = await deliver(batch(bad, item()));
        expect([mixed.events.length, mixed.acknowledgement.status], eventCode).to.deep.equal([1, 401]);
      }
    }
    expect((await deliver(batch(item({ eventCode: 'SOMETHING_NEW' }, wrongKey)))).acknowledgement.status).to.equal(401);
  });

  it('verifies the text of each member, however JSON spells it', async () => {
    const asBoolean = await deliver(batch(item({ success: true })));
    expect(asBoolean.events[0]).to.include({ status: 'succeeded', providerStatus: 'AUTHORISATION:true' });
    const asText = await deliver(batch(item({ amount: { currency: 'EUR', value: '2590' } })));
    expect(asText.events[0]).to.include({ status: 'succeeded', amount: '25.90' });
    expect((await deliver(batch(item({ success: 'True' })))).events[0]).to.include({ status: 'succeeded' });
    expect((await deliver({ ...batch(item()), live: true })).events[0]).to.include({ mode: 'live' });
  });

  it('finds a cancellation without a reference by the payment that it names', async () => {
    for (const merchantReference of [undefined, null, '', 'ERP-77']) {
      const more = { eventCode: 'CANCELLATION', originalReference: psp, pspReference: 'C', merchantReference };
      const { events, acknowledgement } = await deliver(batch(item(more)));
      expect(events[0]).to.include({ status: 'cancelled', reference: null, providerReference: psp });
      expect(acknowledgement.status).to.equal(200);
    }
  });

  it('reads no amount if there is none, or if it has another form', async () => {
    const odd = [null, 'EUR 5', { currency: 'EUR' }, { value: -5, currency: 'EUR' }, { value: 2.5, currency: 'EUR' }];
    for (const amount of [...odd, { value: 5, currency: 'euro' }]) {
      const { NotificationRequestItem } = item() as { NotificationRequestItem: object };
      const raw = harness.toRaw({
        ...posted,
        body: JSON.stringify(batch({ NotificationRequestItem: { ...NotificationRequestItem, amount } })),
      });
      const { verdict, events } = await harness.deliver({ ...posted, body: signCallback(raw, options).body });
      const read = [verdict, events[0]?.amount, events[0]?.currency];
      expect(read, JSON.stringify(amount)).to.deep.equal(['genuine', null, null]);
    }
  });

  for (const [currency, value, amount] of [
    ['ISK', 259_000, '2590'],
    ['CLP', 259_050, '2590.5'],
    ['IDR', 2590, '2590.00'],
    ['CVE', 7, '7.00'],
    ['KWD', 25_905, '25.905'],
    ['JPY', 2590, '2590'],
  ] as const) {
    it(`reads ${value} ${currency} as ${amount}`, async () => {
      const { events } = await deliver(batch(item({ amount: { currency, value } })));
      expect(events[0]).to.include({ amount, currency });
    });
  }

  it('needs no date', async () => {
    for (const eventDate of [undefined, null, '', 'yesterday', '2026-02-30T25:00:00Z', 0]) {
      expect((await deliver(batch(item({ eventDate })))).events).to.have.length(1);
    }
  });

  it('reads each published event code as a status, or ignores it on purpose', async () => {
    for (const eventCode of webhooks.eventCodes) {
      const { events } = await deliver(batch(item({ eventCode, originalReference: psp })));
      expect(events.length, eventCode).to.equal(silentCodes.has(eventCode) ? 0 : 1);
      expect(events[0]?.status, eventCode).not.to.equal('unknown');
    }
  });

  it('knows each event code of Adyen’s libraries', () => {
    const node = Object.values(Types.notification.NotificationRequestItem.EventCodeEnum);
    // Those that only the PHP library lists. Java and .NET list none that the others lack.
    const php = [
      'ADVICE_OF_DEBIT',
      'AUTHORISATION_PENDING',
      'AUTHORISE_REFERRAL',
      'CAPTURE_WITH_EXTERNAL_AUTH',
      'DEACTIVATE_RECURRING',
      'FRAUD_ONLY',
      'FUND_TRANSFER',
      'SUBMIT_RECURRING',
    ];
    expect(node).to.include.members(['DONATION', 'PENDING', 'PROCESS_RETRY', 'CANCEL_OR_REFUND']);
    const unknown = [...node, ...php].filter((code) => isKnownCode(code) === silentCodes.has(code));
    expect(unknown).to.deep.equal([]);
  });

  it('reports an event code that is in no list as unknown', async () => {
    const [event] = (await deliver(batch(item({ eventCode: 'SOMETHING_NEW' })))).events;
    expect(event).to.include({ kind: 'payment', status: 'unknown', providerStatus: 'SOMETHING_NEW:true' });
  });

  it('reports a payment that is not decided as pending', async () => {
    for (const eventCode of ['PENDING', 'AUTHORISATION_PENDING']) {
      for (const success of ['true', 'false']) {
        const [event] = (await deliver(batch(item({ eventCode, success })))).events;
        expect(event).to.include({ status: 'pending', reference: 'GW-10042-1' });
      }
    }
  });

  it('reports money that went back, captured or not, whatever the unsigned action says', async () => {
    for (const action of ['refund', 'cancel', undefined]) {
      const more = { eventCode: 'CANCEL_OR_REFUND', pspReference: 'X', originalReference: psp };
      const additionalData = { 'modification.action': action };
      const [event] = (await deliver(batch(item({ ...more, additionalData })))).events;
      expect(event).to.include({ kind: 'payment', status: 'cancelled', orRefunded: true, providerReference: psp });
      const failed = await deliver(batch(item({ ...more, additionalData, success: 'false' })));
      expect([failed.verdict, failed.events, failed.acknowledgement.status]).to.deep.equal(['genuine', [], 200]);
    }
  });

  it('names each capture, so that several count once each', async () => {
    const more = { eventCode: 'CAPTURE', originalReference: psp, amount: { currency: 'EUR', value: 500 } };
    const [first] = (await deliver(batch(item({ ...more, pspReference: 'C1' })))).events;
    expect(first).to.include({ status: 'succeeded', subReference: 'C1', amount: '5.00', providerReference: psp });
    const [refused] = (await deliver(batch(item({ ...more, pspReference: 'C2', success: 'false' })))).events;
    expect(refused).not.to.have.property('subReference');
  });

  it('ignores our reference with an added suffix', async () => {
    const { events } = await deliver(batch(item({ merchantReference: 'GW-10042-1-H' })));
    expect(events[0]).to.include({ reference: 'GW-10042-1', status: 'authorised' });
  });

  it('ignores payments of other systems at the same account', async () => {
    for (const merchantReference of ['SHOP2-3546900', null, '', 'GW-1']) {
      for (const more of [{}, { eventCode: 'CAPTURE' }, { eventCode: 'CHARGEBACK', originalReference: '' }]) {
        const { verdict, events, acknowledgement } = await deliver(batch(item({ ...more, merchantReference })));
        expect([verdict, events, acknowledgement.status]).to.deep.equal(['genuine', [], 200]);
      }
    }
  });

  it('names the payment by its own reference, also in later items', async () => {
    const named = async (more: object) => {
      const [event] = (await deliver(batch(item(more)))).events;
      return [event?.providerReference, event?.subReference];
    };
    expect(await named({})).to.deep.equal([psp, undefined]);
    expect(await named({ eventCode: 'REFUND', pspReference: 'R', originalReference: psp })).to.deep.equal([psp, 'R']);
    expect(await named({ eventCode: 'CHARGEBACK', pspReference: 'D' })).to.deep.equal([null, 'D']);
    expect(await named({ eventCode: 'CAPTURE', pspReference: 'C', originalReference: psp })).to.deep.equal([psp, 'C']);
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

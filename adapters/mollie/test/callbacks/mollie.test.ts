import { defined, formType } from '@paywright/contract';
import type { CoreSays } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness } from '../messages.ts';

const paymentId = 'tr_5B8cwPMGnU6qLbRvo7qEZo';

const good = `id=${paymentId}`;

const deliver = (body: string | Uint8Array, contentType: string = formType, coreSays?: CoreSays) =>
  harness.deliver({ headers: [['Content-Type', contentType]], body }, defined({ coreSays }));

describe("Mollie's callback route", () => {
  it('reports that a payment changed and must be fetched', async () => {
    const { outcome, genuine, events } = await deliver(good);
    expect([outcome, genuine]).to.deep.equal(['accepted', 'unproven']);
    expect(events).to.deep.equal([
      {
        kind: 'ping',
        status: 'pending',
        providerStatus: 'ping',
        reference: null,
        providerReference: paymentId,
        amount: null,
        currency: null,
        dedupeKey: null,
        mustFetch: true,
      },
    ]);
  });

  it('reads the id of a form, with a charset and next to other names', async () => {
    expect((await deliver(good, `${formType}; charset=utf-8`)).outcome).to.equal('accepted');
    expect((await deliver(`a=1&${good}&a=2`)).outcome).to.equal('accepted');
    expect((await deliver(good, 'application/json')).outcome).to.equal('malformed');
  });

  for (const [name, body] of [
    ['nothing', ''],
    ['no id', 'payment=tr_1'],
    ['an empty id', 'id='],
    ['the id twice', `${good}&${good}`],
    ['two ids', `${good}&id=tr_2`],
    ['an order', 'id=ord_8wmqcHMN4U'],
    ['a path', 'id=tr_1%2F..%2Fmethods'],
    ['a line', `${good}%0A`],
    ['a blank', `${good}+`],
    ['62 characters', `id=tr_${'1'.repeat(61)}`],
    ['bytes that are not text', Buffer.from([0x69, 0x64, 0x3d, 0xff])],
    [
      'a message of the newer webhooks',
      '{"resource":"event","id":"event_GvJ8WHrp5isUdRub9CJyH","type":"payment.paid"}',
    ],
  ] as const) {
    it(`refuses as malformed: ${name}`, async () => {
      const { outcome, events, acknowledgement } = await deliver(body);
      expect([outcome, events, acknowledgement.status]).to.deep.equal(['malformed', [], 400]);
    });
  }

  for (const [coreSays, status] of [
    ['accepted', 200],
    ['duplicate', 200],
    ['unknown_reference', 200],
    ['ignored', 200],
    ['try_later', 503],
  ] as const) {
    it(`answers ${status} without a body if core says ${coreSays}`, async () => {
      const { acknowledgement } = await deliver(good, formType, coreSays);
      expect([acknowledgement.status, acknowledgement.body ?? '']).to.deep.equal([status, '']);
    });
  }
});

import { fixture } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { webhookEvents } from '../check-account.ts';
import { declines, inquiries, refusalOf, statuses } from '../statuses.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties: Readonly<Record<string, Schema>>;
}
const { objects, events } = fixture(import.meta.url, 'openapi.json') as {
  readonly objects: Readonly<Record<string, Schema>>;
  readonly events: readonly string[];
};
const listed = (object: string): readonly string[] => {
  const { enum: values, anyOf = [] } = objects[object]!.properties['status']!;
  return values ?? anyOf.flatMap((one) => one.enum ?? []);
};
/** The statuses in Stripe's spelling, without the suffixes that distinguish meanings. */
const words = (table: object): string[] => [...new Set(Object.keys(table).map((status) => status.split(':')[0]!))];

/** Statuses of disputes that Stripe added after the pinned version. */
const addedLater = ['appeal_needs_response', 'appeal_under_review'];

describe('a status table', () => {
  it('contains exactly the statuses of PaymentIntents and disputes that Stripe’s OpenAPI document lists', () => {
    expect(words(statuses.payment).filter((word) => word !== 'session')).to.have.members(listed('payment_intent'));
    expect([...words(statuses.chargeback), ...inquiries]).to.have.members([...listed('dispute'), ...addedLater]);
    expect(words(statuses.refund)).to.have.members(['pending', 'requires_action', 'succeeded', 'failed', 'canceled']);
  });

  it('leaves two statuses of a session to the PaymentIntent', () => {
    const reported = listed('checkout.session').filter((one) => Object.hasOwn(statuses.payment, `session:${one}`));
    expect([...reported, 'complete', 'open']).to.have.members(listed('checkout.session'));
  });

  it('contains every decline code of Stripe’s list', () => {
    const { codes } = fixture(import.meta.url, 'decline-codes.json') as { readonly codes: readonly string[] };
    expect(codes).to.have.length(50);
    expect(declines).to.include.keys(...codes);
  });

  it('contains only events that Stripe has, and each of them has a published message', () => {
    expect(events).to.include.members([...webhookEvents]);
    const { types } = fixture(import.meta.url, 'published.json') as { readonly types: readonly string[] };
    expect(types).to.include.members([...events]);
  });

  for (const [failure, expected] of [
    [{ decline_code: 'insufficient_funds', code: 'card_declined' }, { decline: '51' }],
    [{ code: 'expired_card' }, { decline: '54' }],
    [{ decline_code: 'withdrawal_count_limit_exceeded', code: 'card_declined' }, { decline: '61' }],
    [{ decline_code: 'card_not_supported', code: 'card_declined' }, { decline: '57' }],
    [{ decline_code: 'generic_decline', code: 'card_declined' }, { decline: '05' }],
    [{ code: 'payment_intent_authentication_failure' }, { decline: '05', threeDsResult: 'N' }],
    [
      { decline_code: 'new_one', code: 'card_declined' },
      { decline: '05', declineText: 'new_one', unknownStatus: 'new_one' },
    ],
  ] as const) {
    it(`reads ${Object.values(failure).join(' of ')} as ${expected.decline}`, () => {
      const whole = {
        type: 'card_error',
        code: undefined,
        decline_code: undefined,
        message: undefined,
        param: undefined,
      };
      expect(refusalOf({ ...whole, ...failure })).to.deep.equal(expected);
    });
  }
});

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { auditedActions, type ActionName } from './audit-actions.ts';
import { auditSentence, auditText, readSubject, subjectText } from './audit-sentence.ts';
import type { AuditView } from './audit-view.ts';

const ada = { type: 'console', name: 'Ada Lovelace (op_0123456789abcdef)', from: '10.0.0.8' } as const;

function entry(act: string, subject: AuditView['subject'], more: Partial<AuditView> = {}): AuditView {
  return {
    sequence: 1,
    at: new Date(0),
    actor: ada,
    act,
    subject,
    reason: null,
    state: 'done',
    before: null,
    after: null,
    error: null,
    hash: '',
    ...more,
  };
}

describe('auditText', () => {
  const payment = { type: 'payment', id: '10042' };
  const merchant = { type: 'owner', id: 'Book shop' };
  const key = { type: 'key', id: 'key_1' };
  const refund = (reference: string, amount: string) => ({ reference, attempt: 1, amount, state: 'succeeded' });
  const sentences: readonly (readonly [AuditView, string])[] = [
    [
      entry('payment.refund', payment, {
        before: { currency: 'EUR', refunds: [refund('GW-10042-1-R1', '1.00')] },
        after: { currency: 'EUR', refunds: [refund('GW-10042-1-R1', '1.00'), refund('GW-10042-1-R2', '59.00')] },
      }),
      'Ada Lovelace refunded €59.00 of payment 10042',
    ],
    [entry('payment.cancel', payment), 'Ada Lovelace cancelled payment 10042'],
    [
      entry('key.create', merchant, { after: { keyId: 'key_1', environment: 'sandbox' } }),
      'Ada Lovelace created a test API key for merchant Book shop',
    ],
    [
      entry('key.limit', key, { before: { limit: 600 }, after: { limit: 9 } }),
      'Ada Lovelace changed the rate limit of key key_1 from 600 to 9 requests per minute',
    ],
    [
      entry('owner.set', merchant, { before: { email: null }, after: { email: 'a@b.example', testNotifyUrl: 'x' } }),
      'Ada Lovelace changed the email and the test endpoint of merchant Book shop',
    ],
    [
      entry('adapter.state', { type: 'adapter', id: 'provider-a' }, { after: { state: 'off' } }),
      'Ada Lovelace switched off provider provider-a',
    ],
    [
      entry('adapter.state', { type: 'account', id: 'provider-a/eu' }, { after: { state: 'draining' } }),
      'Ada Lovelace drained account provider-a/eu',
    ],
    [entry('account.add', { type: 'account', id: 'provider-a/eu' }), 'Ada Lovelace added account provider-a/eu'],
    [
      entry('account.set', { type: 'account', id: 'provider-a/eu' }, { after: { sandboxOptions: [], merchants: [] } }),
      'Ada Lovelace changed the test options and the merchants of account provider-a/eu',
    ],
    [
      entry('account.remove', { type: 'account', id: 'provider-a/eu' }, { state: 'failed', error: 'no' }),
      'Ada Lovelace tried to remove account provider-a/eu: no',
    ],
    [
      entry('endpoint.test', { type: 'endpoint', id: 'Book: shop:live:https://shop.example' }),
      'Ada Lovelace sent a test event to https://shop.example of Book: shop (live)',
    ],
    [
      entry('notifications.resend', { type: 'notifications', id: 'all owners' }, { after: { resent: 1 } }),
      'Ada Lovelace resent 1 notification of all merchants',
    ],
    [
      entry(
        'settlement.compare',
        { type: 'settlement', id: 'run' },
        { after: { file: 'march.csv', adapter: 'provider-a', counts: { amount: 1, fee: 7 } } },
      ),
      'Ada Lovelace compared march.csv of provider-a: 8 differences',
    ],
    [
      entry('payment.refund', payment, { state: 'failed', error: 'the amount is too large' }),
      'Ada Lovelace tried to refund payment 10042: the amount is too large',
    ],
    [
      entry('payment.refund', payment, { state: 'begun' }),
      'Ada Lovelace started to refund payment 10042; the result is not recorded',
    ],
    [
      entry(
        'endpoint.test',
        { type: 'endpoint', id: 'Shop:test:https://a.example' },
        {
          actor: { type: 'portal', name: 'plink_0123456789abcdef', from: '10.0.0.9' },
        },
      ),
      'A visitor of the portal (plink_0123456789abcdef) sent a test event to https://a.example of Shop (test)',
    ],
    [entry('future.act', payment), 'Ada Lovelace future.act payment 10042'],
  ];
  for (const [view, sentence] of sentences) {
    it(`writes "${sentence}"`, () => {
      expect(auditText(view)).to.equal(sentence);
    });
  }

  it('has a sentence for every action, without JSON and without the word owner', () => {
    for (const act of Object.keys(auditedActions) as ActionName[]) {
      for (const state of ['done', 'failed', 'begun'] as const) {
        const text = auditText(entry(act, { type: 'owner', id: 'Shop' }, { state, error: 'no' }));
        expect(text, act)
          .to.match(/^Ada Lovelace [a-z]/)
          .and.not.match(/[{}]|undefined|null|owner| {2}/);
      }
    }
  });

  it('names what the action is about, for a link', () => {
    expect(auditSentence(entry('payment.cancel', payment)).at(-1)).to.deep.equal({
      text: 'payment 10042',
      subject: payment,
    });
  });
});

describe('readSubject', () => {
  it('reads the words of the sentences and the stored form', () => {
    for (const [text, subject] of [
      ['merchant Book shop', { type: 'owner', id: 'Book shop' }],
      ['owner:Book shop', { type: 'owner', id: 'Book shop' }],
      ['provider provider-a', { type: 'adapter', id: 'provider-a' }],
      ['payment 10042', { type: 'payment', id: '10042' }],
      ['10042', { type: 'payment', id: '10042' }],
      ['portal link plink_1', { type: 'portal link', id: 'plink_1' }],
      ['payment', undefined],
    ] as const)
      expect(readSubject(text), text).to.deep.equal(subject);
  });

  it('reads back every subject that subjectText writes as a type and an id', () => {
    for (const type of ['owner', 'adapter', 'payment', 'key', 'portal link', 'encryption key'])
      expect(readSubject(subjectText({ type, id: 'x 1' }))).to.deep.equal({ type, id: 'x 1' });
  });
});

import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { EventKind } from '@gateway/contract';
import { decide } from './decide.ts';
import type { PaymentRecord } from '../facts.ts';
import { checkStory } from '../testing/expectations.ts';
import {
  answers,
  asksRefund,
  declined,
  feeOf,
  goOn,
  named,
  opens,
  pending,
  refundAnswers,
  succeeded,
  tell,
  tellsChargeback,
  tellsPayment,
  tellsRefund,
  unknownOutcome,
  type Happening,
} from '../test-support.ts';

const isOpen = [opens(1), answers(named(pending))] as const;
const isPaid = [opens(1), answers(named(succeeded))] as const;
const statesOf = ({ refunds }: PaymentRecord): string[] => refunds.map(({ state }) => state);

describe('an event', () => {
  describe('about a payment', () => {
    const words: [Parameters<typeof tellsPayment>[0], string, number][] = [
      ['authorised', 'open', 1],
      ['pending', 'open', 1],
      ['underpaid', 'open', 1],
      ['unknown', 'open', 1],
      ['succeeded', 'succeeded', 2],
      ['overpaid', 'succeeded', 2],
      ['late', 'succeeded', 2],
      ['failed', 'failed', 3],
      ['cancelled', 'failed', 3],
      ['expired', 'expired', 5],
    ];
    for (const [word, outcome, statusId] of words) {
      it(`${word}: the attempt is ${outcome}`, () => {
        const { record } = tell(...isOpen, tellsPayment(word));
        expect(record.attempts[0]!.outcome).to.equal(outcome);
        expect(record.statusId).to.equal(statusId);
      });
    }

    it('tells in the log that more was paid', () => {
      expect(tell(...isOpen, tellsPayment('overpaid')).record.logs.at(-1)!.message).to.equal(
        'payment overpaid (overpaid)',
      );
    });

    it('declines with 05 where no decline is proven, until a fetch tells it', () => {
      const failed = tell(...isOpen, tellsPayment('failed'));
      expect(failed.record.attempts[0]!.decline).to.equal('05');
      expect(failed.record.logs.at(-1)!.code).to.equal('05');
      const told = { decline: '61', declineText: 'over the limit', dedupeKey: 'fetched' } as const;
      expect(goOn(failed, tellsPayment('failed', told)).record).to.equal(failed.record);
      const fetched = goOn(failed, tellsPayment('failed', { ...told, own: true }));
      expect(fetched.record.attempts[0]).to.include({
        decline: '61',
        declineText: 'over the limit',
        outcome: 'failed',
      });
      expect(fetched.announced.slice(failed.announced.length)).to.deep.equal([]);
    });

    it('takes the fetched decline also under the identity that the callback had', () => {
      const named = { dedupeKey: 'T-1:AUTH:false' } as const;
      const failed = tell(opens(1), tellsPayment('failed', named));
      const fetched = goOn(failed, tellsPayment('failed', { ...named, decline: '51', own: true }));
      expect(fetched.record.attempts[0]).to.include({ decline: '51' });
      const again = goOn(fetched, tellsPayment('failed', { ...named, decline: '51', own: true }));
      expect(again.record).to.equal(fetched.record);
    });

    it('keeps the decline that the answer gave', () => {
      const { record } = tell(opens(1), answers(declined), tellsPayment('failed'), tellsPayment('cancelled'));
      expect(record.attempts[0]).to.include({ decline: '51', cancelled: false });
    });

    it('is no decline where the payer cancelled', () => {
      const { record } = tell(...isOpen, tellsPayment('cancelled'));
      expect(record.attempts[0]).to.include({ decline: null, cancelled: true });
      expect(record.logs.at(-1)!.code).to.equal('');
    });
  });

  describe('that cannot be believed', () => {
    const unbelievable: [string, Parameters<typeof tellsPayment>[1]][] = [
      ['another amount', { amount: '10.01' }],
      ['a smaller amount', { amount: '1.00' }],
      ['an amount that is none', { amount: 'ten' }],
      ['another currency', { currency: 'USD' }],
      ['another provider reference', { providerReference: 'X-9' }],
      ['another provider reference, fetched', { providerReference: 'X-9', own: true }],
      ['no amount', { amount: null }],
      ['no currency', { currency: null }],
    ];
    for (const [name, members] of unbelievable) {
      it(`never pays: ${name}`, () => {
        for (const word of ['succeeded', 'overpaid', 'late'] as const) {
          for (const before of [isOpen, [...isOpen, tellsPayment('failed')], [...isOpen, tellsPayment('expired')]]) {
            const known = tell(...before).record;
            const decision = decide(known, tellsPayment(word, members), feeOf);
            expect(decision).to.include({ kind: 'refused', ask: true });
            if (decision.kind === 'nothing') continue;
            expect(decision.next).to.deep.equal({ ...known, logs: decision.next.logs });
            expect(decision.next.logs.at(-1)).to.include({ refused: true });
          }
        }
      });
    }

    it('is ignored in the other mode, and where nobody knows its word', () => {
      for (const event of [tellsPayment('succeeded', { mode: 'live' }), tellsPayment('unknown')]) {
        expect(decide(tell(...isOpen).record, event, feeOf).kind).to.equal('nothing');
      }
    });

    it('may spell the amount in another way', () => {
      for (const amount of ['10', '10.0', '10.000', '010']) {
        expect(tell(...isOpen, tellsPayment('succeeded', { amount })).record.statusId, amount).to.equal(2);
      }
    });

    it('is a refund of more than was paid, without amount, or that nothing tells from another', () => {
      for (const event of [
        tellsRefund('succeeded', '10.01'),
        tellsRefund('succeeded', '4', { amount: null }),
        tellsRefund('succeeded', '4', { currency: null }),
        tellsRefund('succeeded', '4', { dedupeKey: null }),
        tellsRefund('succeeded', '4', { providerReference: 'X-9' }),
        tellsRefund('failed', '4', { cumulative: true }),
      ]) {
        const { record, steps } = tell(...isPaid, event);
        expect(steps.at(-1)!.kind).to.equal('refused');
        expect(record).to.include({ refundedAmount: '0', statusId: 2 });
      }
    });

    it('is a chargeback of more than was paid, or of another currency', () => {
      for (const event of [tellsChargeback('opened', { amount: '11' }), tellsChargeback('lost', { currency: 'USD' })]) {
        expect(tell(...isPaid, event).record.chargedBack).to.equal(false);
      }
    });
  });

  describe('with the provider’s reference', () => {
    it('teaches it where none is known', () => {
      const { record } = tell(opens(1), answers(unknownOutcome), tellsPayment('pending'));
      expect(record.attempts[0]).to.include({ providerReference: 'P-1', referenceProven: false });
    });

    it('teaches it also after the outcome is known', () => {
      const { record } = tell(opens(1), answers(succeeded), tellsPayment('succeeded'));
      expect(record.attempts[0]).to.include({ providerReference: 'P-1', outcome: 'succeeded' });
    });

    it('does not replace one of another callback, but asks; what is fetched does', () => {
      const taught = tell(opens(1), tellsPayment('pending', { providerReference: 'X-9' }));
      const refused = goOn(taught, tellsPayment('succeeded'));
      expect(refused.steps.at(-1)!.kind).to.equal('refused');
      const fetched = goOn(refused, tellsPayment('succeeded', { own: true }));
      expect(fetched.record).to.include({ statusId: 2 });
      expect(fetched.record.attempts[0]).to.include({ providerReference: 'P-1', referenceProven: true });
    });

    it('gives way to the answer of the submission', () => {
      const { record } = tell(opens(1), tellsPayment('pending', { providerReference: 'X-9' }), answers(named(pending)));
      expect(record.attempts[0]).to.include({ providerReference: 'P-1', referenceProven: true });
    });
  });

  describe('with an identity', () => {
    it('counts once', () => {
      const event = tellsRefund('succeeded', '4');
      const { record, announced } = tell(...isPaid, event, event, event);
      expect(record.refundedAmount).to.equal('4');
      expect(announced).to.deep.equal(['payment.succeeded', 'payment.partially_refunded']);
    });

    it('is not mistaken for the same one of another attempt', () => {
      const happenings = [opens(1), tellsPayment('failed'), opens(2)];
      const same = { dedupeKey: 'the same' };
      const { record } = tell(
        ...happenings,
        tellsPayment('succeeded', same),
        tellsPayment('succeeded', { ...same, attempt: 2 }),
      );
      expect(record.paidAmount).to.equal('20');
    });

    it('is not remembered while it is refused', () => {
      const wrong = tellsPayment('succeeded', { amount: '1', dedupeKey: 'one' });
      expect(tell(...isOpen, wrong, tellsPayment('succeeded', { dedupeKey: 'one' })).record.statusId).to.equal(2);
    });
  });

  it('changes nothing where it is about no payment', () => {
    for (const kind of ['3ds', 'token', 'ping'] satisfies EventKind[]) {
      const event = tellsPayment('pending', { kind, amount: null, currency: null, providerReference: null });
      expect(decide(tell(...isOpen).record, event, feeOf).kind).to.equal('nothing');
    }
  });

  describe('about a chargeback', () => {
    const sets: [string, Happening[], boolean][] = [
      ['opened', [tellsChargeback('opened')], true],
      ['lost', [tellsChargeback('lost')], true],
      ['won', [tellsChargeback('opened'), tellsChargeback('won')], false],
      ['reversed', [tellsChargeback('lost'), tellsChargeback('reversed')], false],
      ['opened after it was won', [tellsChargeback('won'), tellsChargeback('opened')], false],
      ['won and lost without a hint: won', [tellsChargeback('lost'), tellsChargeback('won')], false],
      [
        'won, later lost, by the hint',
        [tellsChargeback('lost', { orderHint: 2 }), tellsChargeback('won', { orderHint: 1 })],
        true,
      ],
      [
        'reversed, later lost, by the time',
        [
          tellsChargeback('reversed', { occurredAt: new Date(1000) }),
          tellsChargeback('lost', { occurredAt: new Date(2000) }),
        ],
        true,
      ],
      [
        'opened again with a later hint',
        [tellsChargeback('won', { orderHint: 1 }), tellsChargeback('opened', { orderHint: 2 })],
        false,
      ],
      [
        'one case open, another won',
        [tellsChargeback('opened', { subReference: 'C-1' }), tellsChargeback('won', { subReference: 'C-2' })],
        true,
      ],
      ['nameless, beside a case', [tellsChargeback('opened'), tellsChargeback('won', { subReference: 'C-1' })], false],
      [
        'nameless, beside an open case',
        [tellsChargeback('won'), tellsChargeback('opened', { subReference: 'C-1' })],
        true,
      ],
    ];
    for (const [name, happenings, chargedBack] of sets) {
      it(`${name}: ${chargedBack ? 'charged back' : 'not charged back'}, and the status stays`, () => {
        for (const order of [happenings, happenings.toReversed()]) {
          const story = tell(...isPaid, ...order);
          expect(story.record).to.include({ chargedBack, statusId: 2 });
          checkStory(story);
        }
      });
    }

    it('waits for the success', () => {
      const waiting = tell(...isOpen, tellsChargeback('opened'));
      expect(waiting.record.chargedBack).to.equal(false);
      expect(goOn(waiting, tellsPayment('succeeded')).record.chargedBack).to.equal(true);
    });

    it('announces only a change of the flag', () => {
      const cases = [
        tellsChargeback('opened', { subReference: 'C-1' }),
        tellsChargeback('opened', { subReference: 'C-2' }),
      ];
      const ends = [tellsChargeback('won', { subReference: 'C-1' }), tellsChargeback('won', { subReference: 'C-2' })];
      expect(tell(...isPaid, ...cases, ...ends).announced.slice(1)).to.deep.equal([
        'payment.charged_back',
        'payment.chargeback_reversed',
      ]);
    });
  });

  describe('about a refund', () => {
    const asked = [asksRefund(1, '4'), asksRefund(2, '3'), asksRefund(3, '4')] as const;

    it('without number ends our oldest open refund of that amount', () => {
      const first = tell(...isPaid, ...asked, tellsRefund('succeeded', '4.00', { dedupeKey: 'a' }));
      expect(statesOf(first.record)).to.deep.equal(['succeeded', 'asking', 'asking']);
      const next = goOn(first, tellsRefund('failed', '4', { dedupeKey: 'b' }));
      expect(statesOf(next.record)).to.deep.equal(['succeeded', 'asking', 'failed']);
      expect(goOn(next, tellsRefund('pending', '3')).record.refunds[1]!.state).to.equal('asking');
    });

    it('with a number ends our refund of that number', () => {
      const numbers = [1, 3].map((n) => refundAnswers(n, { outcome: 'pending', providerReference: `R-${n}` }));
      const told = tell(...isPaid, ...asked, ...numbers, tellsRefund('succeeded', '4', { subReference: 'R-3' }));
      expect(statesOf(told.record)).to.deep.equal(['pending', 'asking', 'succeeded']);
    });

    it('with a sum so far ends what explains how the sum grew', () => {
      const total = (amount: string): Happening =>
        tellsRefund('succeeded', amount, { cumulative: true, dedupeKey: amount });
      // 2 was given back at the provider's console, before ours.
      const story = tell(...isPaid, total('2'), ...asked);
      expect(statesOf(story.record)).to.deep.equal(['asking', 'asking', 'asking']);
      // Another 2 at the console: enough with the first for one of ours, but it grew by less.
      const other = goOn(story, total('4'));
      expect(statesOf(other.record)).to.deep.equal(['asking', 'asking', 'asking']);
      const one = goOn(other, total('8'));
      expect(statesOf(one.record)).to.deep.equal(['succeeded', 'asking', 'asking']);
      expect(one.record.refundedAmount).to.equal('8');
    });

    it('with a sum so far ends several at once', () => {
      const total = tellsRefund('succeeded', '7', { cumulative: true });
      expect(statesOf(tell(...isPaid, ...asked, total).record)).to.deep.equal(['succeeded', 'succeeded', 'asking']);
    });

    it('with a sum so far does not end a refund that is open beside those it tells of', () => {
      const number = refundAnswers(1, { outcome: 'succeeded', providerReference: 'R-1' });
      const total = tellsRefund('succeeded', '4', { cumulative: true });
      expect(statesOf(tell(...isPaid, ...asked, number, total).record)).to.deep.equal([
        'succeeded',
        'asking',
        'asking',
      ]);
    });
  });
});

/** Troubles with the money of single payments. */
import { triggerPath, type TriggerBody } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { until } from '../../core/base/testing/until.ts';
import { cardBody, payer } from '../support/bodies.ts';
import type { Trouble } from './trouble.ts';
import type { View, World } from './world.ts';

const succeededRefund = { 'refunds.state': 'succeeded' };

async function refundedAmounts(world: World, id: number): Promise<string[]> {
  const { refunds } = await world.payment(id);
  return refunds.filter(({ state }: View) => state === 'succeeded').map(({ amount }: View) => String(amount));
}

export const underpaid: Trouble = {
  name: 'a payer sends too few coins',
  async plant(world) {
    const id = await world.pay('/payments/h2h/17', { ...payer, amount: 80.6, unit: 'EUR' });
    const alarm = await world.waitForAlarm('payment_underpaid');
    const agreed = 'The payer got the coins back from the shop, by hand.';
    const expectReviewed = async (): Promise<void> => {
      await world.waitUntilResolved(alarm);
      const entry = await world.collection('audit').findOne({ act: 'payment.review', reason: agreed, state: 'done' });
      expect(entry?.subject).to.deep.equal({ type: 'payment', id: String(id) });
    };
    return {
      async byConsole(desk) {
        await desk.openAlarm('Coins received do not pay the payment');
        await desk.sees(/48\.36/);
        await desk.follow('View payment');
        await desk.type('What was found', agreed);
        await desk.press('Mark as reviewed');
        await expectReviewed();
      },
      async byCommands(command) {
        const found = await command(['payments', 'find', '--problem', 'underpaid']);
        expect(found).to.contain(String(id)).and.to.contain('48.36');
        await command(['payments', 'review', String(id), '--reason', agreed]);
        await expectReviewed();
      },
    };
  },
};

export const chargedTwice: Trouble = {
  name: 'a payer is charged twice',
  async plant(world) {
    const id = await world.pay('/payment-requests', { amount: 59, unit: 'EUR', description: 'Three paperbacks' });
    await world.post(`/payments/creditCard/${id}`, cardBody('4000000000003089', '59'));
    await world.waitForPayment(id, { statusId: 3 });
    await world.post(`/payments/creditCard/${id}`, cardBody('5555555555554444', '59'));
    const { attempts } = await world.waitForPayment(id, { statusId: 2 });
    const { providerReference, reference } = attempts[0];
    // The provider captures the charge that its bank had declined.
    const late: TriggerBody = {
      event: 'CAPTURE:true',
      reference,
      providerReference,
      money: { amount: '59', currency: 'EUR' },
      times: 1,
      forge: false,
    };
    const { sandboxes } = await world.state();
    await fetch(`${sandboxes['provider-a']}${triggerPath}`, { method: 'POST', body: JSON.stringify(late) });
    const alarm = await world.waitForAlarm('charged_twice');
    const expectOneRefund = async (): Promise<void> => {
      await world.waitForPayment(id, succeededRefund);
      expect(await refundedAmounts(world, id)).to.deep.equal(['59']);
      await world.waitUntilResolved(alarm);
    };
    return {
      async byConsole(desk) {
        await desk.openAlarm('Customer charged twice');
        await desk.sees(/59\.00/);
        await desk.follow('View payment');
        // The sandbox refunds only the charge that its bank approved.
        await desk.page.locator('select[name=charge]').selectOption(attempts[1].reference);
        await desk.press('Refund');
        await desk.press(/^Refund €/);
        await expectOneRefund();
      },
      async byCommands(command) {
        expect(await command(['payments', 'find', '--problem', 'charged_twice'])).to.contain(String(id));
        await command(['payments', 'refund', String(id), '--charge', '1', '--yes']);
        await expectOneRefund();
      },
    };
  },
};

export const refundAnswerLost: Trouble = {
  name: "the answer to a refund is lost, and the provider's connection stays cut",
  async plant(world) {
    const id = await world.pay('/payments/h2h/51', { ...payer, token: 'tok_approved', amount: 33, unit: 'EUR' });
    await world.waitForPayment(id, { statusId: 2 });
    const repair = world.cutVault(({ path }) => path.includes('/refunds'));
    await world.post(`/payment-requests/${id}/refund`, { amount: 10.5 });
    await world.waitForPayment(id, { 'refunds.state': { $in: ['unknown', 'requested'] } });
    const expectRefunded = async (): Promise<void> => {
      await world.waitForPayment(id, succeededRefund);
      expect(await refundedAmounts(world, id)).to.deep.equal(['10.5']);
    };
    return {
      async byConsole(desk) {
        await until('the overview shows the refund', async () => {
          await desk.startAtOverview();
          return desk.page.getByText('Refund not confirmed by the provider').first().isVisible();
        });
        await desk.follow('Refund not confirmed by the provider');
        await desk.sees(/10\.50/);
        repair();
        await desk.press('Check status now');
        await expectRefunded();
      },
      async byCommands(command) {
        expect(await command(['payments', 'find', '--problem', 'refund'])).to.contain(String(id));
        repair();
        await command(['payments', 'reconcile', String(id)]);
        await expectRefunded();
      },
    };
  },
};

export const refundFailed: Trouble = {
  name: 'a refund fails after the provider had accepted it',
  async plant(world) {
    const id = await world.pay('/payments/h2h/17', { ...payer, amount: 64, unit: 'EUR' });
    await world.waitForPayment(id, { statusId: 2 });
    await world.post(`/payment-requests/${id}/refund`, { amount: 12.58 });
    const alarm = await world.waitForAlarm('refund_failed');
    const expectRefunded = async (): Promise<void> => {
      await world.waitForPayment(id, succeededRefund);
      expect(await refundedAmounts(world, id)).to.deep.equal(['12.5']);
      expect(alarm.subject.id).to.contain(String(id));
    };
    return {
      async byConsole(desk) {
        await desk.openAlarm('Refund failed');
        await desk.sees(/12\.58/);
        // The sandbox lets this amount fail again, so the operator refunds a little less.
        await desk.type(/^Amount/, '12.50');
        await desk.press(/^Refund/);
        await desk.press(/^Refund €/);
        await expectRefunded();
      },
      async byCommands(command) {
        expect(await command(['payments', 'find', '--problem', 'refund_failed'])).to.contain(String(id));
        await command(['payments', 'refund', String(id), '--amount', '12.50', '--yes']);
        await expectRefunded();
      },
    };
  },
};

export const chargeback: Trouble = {
  name: 'a payer disputes a payment at the bank',
  async plant(world) {
    const id = await world.pay('/payments/h2h/11', cardBody('4111111111111111', '72'));
    await world.waitForPayment(id, { statusId: 2 });
    const report = ['trigger', 'provider-a', '--payment', String(id)];
    await world.prepare(...report, 'chargeback opened');
    await world.waitForPayment(id, { problems: 'dispute_open' });
    const note = 'Evidence sent in the console of provider A: delivery receipt.';
    const expectWon = async (): Promise<void> => {
      // The bank decides about the evidence.
      await world.prepare(...report, 'chargeback won');
      await world.waitForPayment(id, { problems: { $ne: 'dispute_open' } });
      expect((await world.payment(id)).chargedBack).to.equal(false);
    };
    return {
      async byConsole(desk) {
        await desk.visit('Disputes');
        await desk.sees(/CASE-/);
        await desk.follow(String(id));
        await desk.sees('answer it in the console of Provider A');
        await desk.type(/^Note/, note);
        await desk.press('Add note');
        await desk.sees('Note added.');
        await desk.sees(note);
        await expectWon();
      },
      async byCommands(command) {
        expect(await command(['disputes', 'list'])).to.match(new RegExp(`CASE-.*${id}|${id}.*CASE-`));
        await command(['payments', 'note', String(id), note]);
        await expectWon();
        expect(
          await world.collection('audit').countDocuments({ act: 'payment.note', reason: note, state: 'done' }),
        ).to.equal(1);
      },
    };
  },
};

export const missedCallback: Trouble = {
  name: 'a payer has paid, but the callback never came and the next check is far',
  async plant(world) {
    const deliver = world.cutVault(({ path, body }) => path === '/callbacks/token' && body.includes('charge.'));
    const id = await world.pay('/payments/h2h/51', { ...payer, token: 'tok_pending_ok', amount: 46, unit: 'EUR' });
    const { providerReference: charge } = (await world.payment(id)).attempts[0];
    // All deliveries of the callback fail, and so do the first checks.
    const answer = world.cutVault(({ path }) => path.endsWith(`/charges/${charge}`));
    const repair = (): void => {
      deliver();
      answer();
    };
    const expectPaid = async (): Promise<void> => {
      await world.waitForPayment(id, { statusId: 2 });
    };
    return {
      async byConsole(desk) {
        await desk.visit('Status checks');
        await desk.sees(String(id));
        repair();
        await desk.press('Check now', { selector: 'tr', text: String(id) });
        await expectPaid();
      },
      async byCommands(command) {
        expect(await command(['payments', 'find', '--status', 'pending'])).to.contain(String(id));
        repair();
        await command(['payments', 'reconcile', String(id)]);
        await expectPaid();
      },
    };
  },
};

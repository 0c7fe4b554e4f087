/** C's hosted page, on which the payer types a card. */
import { isLoopback, type SandboxSetup } from '@paywright/contract';
import {
  choicePage,
  isCardNumber,
  messagePage,
  redirectReply,
  returnForm,
  type Handler,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { ownReturn } from './forms.ts';
import type { Ledger } from './ledger.ts';
import { awaitsPayer, giveCard, isChallenged, isItYou, summaryOf, type Payment } from './payments.ts';
import { isCurrent, ofPayment, PageFields, readCall } from './requests.ts';

export function pageRoutes(setup: SandboxSetup<Options>, ledger: Ledger): Record<string, Handler> {
  const { options, baseUrl, publicUrl } = setup;
  const addressOf = ({ id }: Payment): string => `${baseUrl}/v1/page/${id}`;
  const back = (request: SandboxRequest, payment: Payment): Reply =>
    returnForm(request, payment.back, ownReturn(payment));

  /** C accepts only addresses on the host that is registered for the account. */
  function isRegistered(address: string): boolean {
    const [given, ours] = [new URL(address).hostname, new URL(publicUrl).hostname];
    return given === ours || (isLoopback(given) && isLoopback(ours));
  }

  /** The form that the gateway made and the payer's browser brings. */
  async function arrive(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, PageFields, ofPayment);
    if ('refused' in call) return messagePage(call.refused.status, 'This payment cannot be read');
    const { fields, account, amount } = call;
    const { c_sec: threeDsWish, c_note: note, c_back: home, c_until, ...order } = fields;
    if (!isRegistered(note) || !isRegistered(home)) return messagePage(400, 'This payment cannot be read');
    const known = await ledger.byReference(order.c_ref);
    if (known && (!known.page || known.money.amount !== amount))
      return messagePage(409, 'This payment differs from the first request');
    if (known) return awaitsPayer(known) ? redirectReply(addressOf(known)) : back(request, known);

    const money = { amount, currency: account.currency };
    const until = Number(c_until) * 1000;
    ledger.keep(ledger.make({ account, order, money, threeDsWish, note, back: home, until }));
    // A form that comes too late has already expired.
    const opened = (await ledger.byReference(order.c_ref))!;
    return awaitsPayer(opened) ? redirectReply(addressOf(opened)) : back(request, opened);
  }

  function show(payment: Payment, text: string): Reply {
    const action = new URL(addressOf(payment)).pathname;
    const shared = { text, action, name: 'choice', summary: summaryOf(payment) };
    return payment.page === 'challenge'
      ? choicePage({ ...shared, title: '3D Secure', values: ['pass', 'fail'] })
      : choicePage({
          ...shared,
          title: 'Payment',
          values: ['pay', 'cancel'],
          inputs: { c_pan: '', c_exp: '', c_cvv: '' },
          labels: { c_pan: 'Card number', c_exp: 'Valid until (MMYY)', c_cvv: 'Security code' },
        });
  }

  function finish(request: SandboxRequest, payment: Payment): Promise<Reply> {
    payment.page = 'done';
    return ledger.settle(payment, () => back(request, payment));
  }

  async function page(request: SandboxRequest, id: string): Promise<Reply> {
    const payment = await ledger.byId(id);
    if (!payment?.page) return messagePage(404, 'No such page');
    if (!awaitsPayer(payment)) return back(request, payment);
    const form = request.method === 'POST' ? request.form() : undefined;
    const choice = form?.get('choice');

    if (payment.page === 'challenge') {
      if (choice !== 'pass' && choice !== 'fail') return show(payment, isItYou(payment));
      payment.pressed = choice;
      return finish(request, payment);
    }
    if (choice === 'cancel') {
      await ledger.cancel(payment);
      return back(request, payment);
    }
    if (choice !== 'pay') return show(payment, `${payment.order.c_item}: type a card, its end as MMYY.`);
    const pan = (form?.get('c_pan') ?? '').replaceAll(' ', '');
    const expiry = (form?.get('c_exp') ?? '').replace('/', '');
    if (!isCardNumber(pan) || !isCurrent(expiry, new Date()) || !/^\d{3,4}$/.test(form?.get('c_cvv') ?? '')) {
      return show(payment, 'That is no card that can pay.');
    }
    giveCard(payment, pan);
    if (!isChallenged(payment)) return finish(request, payment);
    payment.page = 'challenge';
    return show(payment, isItYou(payment));
  }

  return { 'POST /v1/page': arrive, 'GET /v1/page/:id': page, 'POST /v1/page/:id': page };
}

/** The order of a page: its request and the meaning of its answer. */
import {
  everyField,
  isLoopback,
  nothingCharged,
  toMinor,
  unknown,
  type Ability,
  type Action,
  type Outcome,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { numericByCurrency, providerStatusOf, refusalOf, type Message } from './order.ts';
import { paymentStatuses } from './statuses.ts';
import { errors, post, readAnswer } from './wire.ts';

/** The fields of the payer that the bank's page needs. The payer's page asks for no other. */
export const payerFields = ['name', 'email', 'country'] as const;
type Known = (typeof payerFields)[number];

/** The route for all of D's reports, by POST from its servers and by GET through the payer's browser. */
export const routePath = 'providerDhp';

export const submit: Ability<'submit', Options, 'billing', Known> = async (payment, ctx) => {
  const { reference, money, payer } = payment;
  const known = everyField(payer);
  const D_Cur = numericByCurrency.get(money.currency);
  if (D_Cur === undefined) return nothingCharged(`D does not accept ${money.currency}`);
  const members = {
    D_Order: reference,
    D_Sum: toMinor(money),
    D_Cur,
    D_Name: known.name,
    D_Mail: known.email,
    D_Phone: known.phoneNumber,
    D_Addr: known.address,
    D_City: known.city,
    D_Region: known.state,
    D_Zip: known.postalCode,
    D_Land: known.country,
    D_Ip: payer.ipAddress ?? undefined,
    D_Item: `Payment ${reference}`,
    D_Notify: ctx.callbackUrl(routePath),
    D_Return: ctx.callbackUrl(routePath),
  };
  const reply = await post('/d/orders', members, ctx);
  if (reply.status !== 200) return errors.toOutcome(reply);
  const message = readAnswer(reply, payment, ctx.options);
  return message ? orderOutcome(message) : unknown('the answer is not a verified answer to this order');
};

function orderOutcome(message: Message): Outcome {
  const providerReference = message.D_Id;
  if (isOpen(message)) {
    const action = pageAction(message);
    return action
      ? { outcome: 'pending', providerReference, action }
      : { outcome: 'unknown', providerReference, reason: 'an open page without an address' };
  }
  const providerStatus = providerStatusOf(message);
  const status = paymentStatuses[providerStatus];
  if (status === 'succeeded') return { outcome: 'succeeded', providerReference };
  if (status === 'failed') return { outcome: 'failed', providerReference, ...refusalOf(message) };
  // This also applies to an order that was made before and has since ended otherwise. The status answer has the end.
  return { outcome: 'pending', providerReference, ...(status ? {} : { unknownStatus: providerStatus }) };
}

/** Whether the payer may still use the page. */
export function isOpen(message: Message): boolean {
  return providerStatusOf(message) === '0:8000';
}

/** The redirect to the page. Undefined if the answer has no safe address. */
export function pageAction({ D_Page = '' }: Message): Action | undefined {
  const url = URL.canParse(D_Page) ? new URL(D_Page) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  return isSafe ? { type: 'redirect', method: 'GET', url: D_Page } : undefined;
}

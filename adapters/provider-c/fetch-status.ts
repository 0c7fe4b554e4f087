/** Find: reports what C knows of a payment as events, or that C never received it. */
import {
  formPost,
  isAboveZero,
  noInformation,
  notFound,
  toEventDecline,
  type Ability,
  type Action,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@paywright/contract';
import { toAction } from './challenge.ts';
import { accountIn, type Account, type Context, type Options } from './options.ts';
import { readAnswer, type Answer } from './payment.ts';
import { signCall } from './signing.ts';
import { errors, readRefusal } from './statuses.ts';
import { readTotal } from './wire.ts';

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { reference, money } = payment;
  const account = accountIn(money.currency, ctx.options);
  if (!account) return noInformation(`the account takes no ${money.currency}`);
  const reply = await ctx.http.send(formPost('/v1/payments/find', signCall(account, 'find', { c_ref: reference })));
  const { code, named } = errors.read(reply);
  if (reply.status === 404 && code === 'no_such_payment') return neverSeen(payment, ctx.now());
  if (reply.status !== 200) return noInformation(named);
  const answer = readAnswer(reply, payment, account);
  const events = answer && eventsOf(answer, payment, account, ctx);
  return events
    ? { result: 'events', events }
    : noInformation('the answer is incomplete, unverified or not about this payment');
};

/** C registers a payment before it charges. A form in the payer's browser may still arrive until the form expires. */
function neverSeen(payment: StoredPayment, now: Date): StatusReport {
  const { reference, action } = payment;
  const until = pageEnd(action);
  if (until === undefined) return notFound(payment);
  if (now.getTime() <= until) return { result: 'waiting', ...(action ? { action } : {}) };
  const lapsed = {
    kind: 'payment',
    providerStatus: 'no_such_payment',
    reference,
    providerReference: null,
    amount: null,
    currency: null,
    dedupeKey: `${reference}:lapsed`,
  } as const;
  return { result: 'events', events: [lapsed] };
}

/** The expiry of the hosted page's form in Unix milliseconds. Undefined if the payer was not sent to the page. */
function pageEnd(action: Action | undefined): number | undefined {
  if (action?.type !== 'redirect' || !action.url.endsWith('/v1/page')) return undefined;
  return Number(action.fields?.['c_until'] ?? 0) * 1000;
}

/** Undefined if the refunded sum cannot be read. */
function eventsOf(
  answer: Answer,
  { action }: StoredPayment,
  { currency }: Account,
  ctx: Context,
): ReportedEvent[] | undefined {
  const { form, id: providerReference, reference, state, amount } = answer;
  const refunded = readTotal(form.get('c_refunded') || '0', currency);
  if (refunded === undefined) return undefined;
  const about = (providerStatus: string, ...names: readonly string[]) => {
    const dedupeKey = [reference, ...names].join(':');
    return { providerStatus, reference, providerReference, amount, currency, dedupeKey };
  };
  const events: ReportedEvent[] = [{ kind: 'payment', ...about(state, state), ...detailOf(answer, action, ctx) }];
  if (isAboveZero(refunded)) {
    events.push({ kind: 'refund', ...about('c_refunded', 'c_refunded', refunded), amount: refunded, cumulative: true });
  }
  const disputed = form.get('c_disputed') || 'no';
  if (disputed !== 'no') events.push({ kind: 'chargeback', ...about(disputed, 'c_disputed', disputed) });
  return events;
}

function detailOf({ form, state }: Answer, stored: Action | undefined, ctx: Context): Partial<ReportedEvent> {
  if (state === 'failure') return toEventDecline(readRefusal(form));
  if (state !== 'challenge') return {};
  const action = toAction(form, ctx) ?? stored;
  return action ? { action } : { awaitsPayer: true };
}

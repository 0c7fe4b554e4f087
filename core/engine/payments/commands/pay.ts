/** Pays an existing payment request. The route rules choose the provider. */
import { GatewayError, invalidField } from '../../../base/errors.ts';
import { HOUR, SECOND } from '../../../base/async/time.ts';
import { latestAttempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { AccountUser } from '../../providers/account-access.ts';
import type { Registry } from '../../providers/registry.ts';
import type { Clients } from '../clients/clients.ts';
import { notPayable, type Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { isExpired } from '../record/is-expired.ts';
import { withOperation } from '../record/operations.ts';
import type { Replacing } from '../reconcile/replacing.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { Attempts } from '../submit/open-attempt.ts';
import { doesNotFit, whyStopped, type AccountUserOf, type ReadProviderAccount } from '../submit/provider-account.ts';
import type { Risk } from '../submit/risk.ts';
import type { Route, RouteFacts, Routing, SkippedAdapter } from '../submit/routing.ts';
import type { Submitter } from '../submit/submit.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';
import type { PayerChoice, PayerInput } from '../types/input.ts';

/**
 * References and tokens hold the number of an attempt in three digits, and each attempt makes every notification
 * longer.
 */
const MAX_ATTEMPTS = 200;
/** Attempts per hour by a payer who has the link; an order that was not closed for another attempt counts as one. */
const TRIES_AN_HOUR = 10;

export interface PayDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly clients: Pick<Clients, 'adoptEmail'>;
  readonly routing: Pick<Routing, 'choose'>;
  readonly risk: Risk;
  readonly attempts: Attempts;
  readonly submitter: Pick<Submitter, 'submit'>;
  readonly answers: Pick<Answers, 'afterPaying'>;
  readonly replacing: Replacing;
  readonly load: LoadForCaller;
  readonly registry: Pick<Registry, 'stateOf'>;
  readonly userOf: AccountUserOf;
  readonly readProviderAccount: ReadProviderAccount;
  readonly now: () => Date;
}

/** `payer`: the payment comes from the payer's page. */
export type PayCommand = (caller: Caller, id: number, input: PayerInput, payer?: PayerChoice) => Promise<PaymentAnswer>;

export function createPayCommand(deps: PayDeps): PayCommand {
  const { store, clients, routing, risk, attempts, submitter, answers, replacing, load, now } = deps;
  const { registry, userOf, readProviderAccount } = deps;

  function chooseRoute(record: PaymentRecord, facts: RouteFacts, isAsked = false): Route {
    const skipped: SkippedAdapter[] = [];
    const route = routing.choose(facts, (one) => skipped.push(one));
    if (route) return route;
    const [only] = skipped;
    if (isAsked && only) throw doesNotFit(facts.account!, only.errors ?? [], only.why);
    throw notPayable(record, describeNoRoute(skipped));
  }

  /** The account that the merchant named: in this request, or for the payment request. */
  function accountOf(record: PaymentRecord, given: string | undefined, user: AccountUser | undefined) {
    const account = given === undefined ? record.providerAccount : readProviderAccount(given, user);
    const why = account === undefined ? undefined : whyStopped(registry, account);
    if (why !== undefined) throw notPayable(record, why);
    return account;
  }

  return async function pay(caller, id, input, payer) {
    const known = await load(caller, id);
    if (input.isSandbox && known.environment === 'live') {
      throw invalidField('isSandbox', true, 'this payment request is live and stays live: create one with a test key');
    }
    const refuse = (current: PaymentRecord, mayReplace: boolean): void => {
      throwIfNotPayable(current, mayReplace, now());
      if (payer) throwIfOftenTried(current, payer.seen, now());
    };
    refuse(known, replacing.mayReplace(known));
    const { unit, amount } = known;
    const merchant = await userOf(caller.ownerId);
    const account = accountOf(known, input.providerAccount, merchant);
    // Adapters that narrow `unit` check the unit that was fixed when the payment request was created.
    const facts = {
      unit,
      amount,
      sandbox: known.environment === 'test',
      input: { ...input, body: { ...input.body, unit } },
      merchant,
      account,
      ...(payer && { way: payer.way }),
    };
    // A payment that no provider accepts is no attempt and counts for no risk rule.
    const usual = chooseRoute(known, facts, input.providerAccount !== undefined);
    const decision = await risk.evaluate(caller.ownerId, facts);
    const submitted = decision.require3ds ? { ...facts.input, is3ds: true } : facts.input;
    const route = decision.require3ds ? chooseRoute(known, { ...facts, input: submitted }) : usual;
    await caller.operation?.bindPayment(id);
    // What a payer types on the page belongs to this payment only: anyone can type the address of another person.
    const { name = '', email } = input.payer;
    if (!payer && !known.client.email && email !== undefined) await clients.adoptEmail(known.clientId, email, name);
    const [first, ...rest] = route.candidates;
    const ready = await replacing.prepare(known, caller.requestId, { purpose: 'replace' });
    const opening = async () =>
      store.change(ready.record, caller.requestId, (current) => {
        const marked = withOperation(current, caller);
        const ended = replacing.confirm(current, ready);
        refuse(current, ended !== undefined);
        const next = attempts.open(marked, first, submitted, route.ruleId, ended);
        return { next, endsLease: ended?.isClosed ?? false };
      });
    const { record } = await replacing.finish(ready, caller.requestId, opening);
    const attempt = latestAttempt(record)!;
    if (decision.denied) return answers.afterPaying(await attempts.deny(record, decision.denied, caller.requestId));
    const paid = await submitter.submit(record, attempt.n, submitted, rest, caller.requestId);
    return answers.afterPaying(paid, facts.input.body);
  };
}

/** Why no provider accepts the payment, for the merchant. */
function describeNoRoute(skipped: readonly SkippedAdapter[]): string {
  const reasons = skipped.map(({ code, why }) => (code === undefined ? why : `provider ${code}: ${why}`));
  const why =
    reasons.length > 0
      ? [...new Set(reasons)].join('; ')
      : 'no route rule matches its method, unit, country and amount';
  return `no provider accepts this payment: ${why}`;
}

/**
 * Refuses an outdated form, and a holder of the link who tries out cards, or who lets us call the provider again and
 * again because it does not close the open order.
 */
function throwIfOftenTried(record: PaymentRecord, seen: number, now: Date): void {
  if (record.attempts.length > seen) throw notPayable(record, 'another attempt was started since');
  const since = now.getTime() - HOUR;
  const { close } = latestAttempt(record) ?? {};
  const refusedCloses = close?.state === 'not_closed' && close.requestedAt.getTime() > since ? close.tries : 0;
  const opened = record.attempts.filter(({ openedAt }) => openedAt.getTime() > since).length;
  if (opened + refusedCloses < TRIES_AN_HOUR) return;
  throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many attempts: wait an hour, or contact the shop', {
    paymentRequestId: record._id,
    details: { limit: TRIES_AN_HOUR, window: '1h', retryAfter: HOUR / SECOND },
  });
}

function throwIfNotPayable(record: PaymentRecord, mayReplace: boolean, now: Date): void {
  const payable = record.statusId === status.created || record.statusId === status.failed || mayReplace;
  if (!payable) throw notPayable(record, 'only a payment request that is created or failed can be paid');
  if (isExpired(record, now))
    throw notPayable(record, `it expired at ${record.expiresAt?.toISOString()}: make a new one`);
  if (record.attempts.length >= MAX_ATTEMPTS)
    throw notPayable(record, 'too many attempts: create a new payment request');
}

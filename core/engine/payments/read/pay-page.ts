/** What the payer's page shows, and what a visit of the page requests. */
import { defined, formatAmount, hasDecimals, hash, sameText, type Action, type PayerFields } from '@paywright/contract';
import { notFound } from '../../../base/errors.ts';
import { openAction } from '../present/answer.ts';
import { requestFetch } from '../record/request-fetch.ts';
import type { Logger } from 'pino';
import type { Registry } from '../../providers/registry.ts';
import type { ReturnAddresses } from '../present/return-address.ts';
import { fillAddress } from '../present/shop-address.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { AccountUser } from '../../providers/account-access.ts';
import type { AccountUserOf } from '../submit/provider-account.ts';
import type { PayerWays } from '../submit/payer-ways.ts';
import type { UnfinishedSteps } from '../submit/unfinished-step.ts';
import { chargedAmount, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Merchant, PayDue, PayerWay, PayFailure, PayPage, PayPageDetails, PayVisit } from '../types/pay-page.ts';
import type { Submitter } from '../submit/submit.ts';
import { MINUTE, SECOND } from '../../../base/async/time.ts';
import { openStep, takeStep } from '../three-ds/step.ts';
import { readToken, type ThreeDsOptions } from '../three-ds/token.ts';
import { coinsOf, receiptOf } from './receipt.ts';
import { failureOf } from '../record/failure.ts';
import { isExpired } from '../record/is-expired.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

/**
 * A page that reloads automatically requests no further fetch until this share of the time since the submission has
 * passed after the last fetch that a visit requested. A page that is left open therefore costs the provider fewer and
 * fewer calls. A check by a worker does not count: it may have run right before the payer returned.
 */
const QUIET_SHARE = 0.1;
const MIN_QUIET_MS = 5 * SECOND;
const MAX_QUIET_MS = 5 * MINUTE;

/** Most banks and apps answer within this time. */
const USUAL_MS = MINUTE;

export interface PayPageDeps {
  readonly store: Pick<PaymentStore, 'load' | 'change'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly payerWays: PayerWays;
  readonly userOf: AccountUserOf;
  readonly returnAddresses: Pick<ReturnAddresses, 'partOf' | 'isPartOf'>;
  readonly merchantOf: (ownerId: number) => Promise<Merchant>;
  readonly submitter: Pick<Submitter, 'readAction'>;
  readonly replacing: UnfinishedSteps;
  readonly config: { readonly threeDs: ThreeDsOptions };
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Undefined: the visit proves nothing about the payment. Throws NF001 if there is no such payment. `admit` is called
 * before anything is requested, and may throw.
 */
export type ReadPayPage = (id: number, visit: PayVisit, admit: () => Promise<unknown>) => Promise<PayPage | undefined>;

export function createPayPage(deps: PayPageDeps): ReadPayPage {
  const { store, registry, payerWays, returnAddresses, merchantOf, userOf, submitter, replacing, config, now, log } =
    deps;

  /** The payer is back: completes the step that waits for the return, or else requests a status fetch. */
  async function noteVisit(record: PaymentRecord, isCancelled: boolean): Promise<void> {
    const attempt = latestAttempt(record);
    if (attempt?.outcome !== 'open' || !attempt.endedAt) return;
    const age = now().getTime() - attempt.openedAt.getTime();
    const quietMs = Math.min(Math.max(age * QUIET_SHARE, MIN_QUIET_MS), MAX_QUIET_MS);
    if (attempt.visitedAt && now().getTime() - attempt.visitedAt.getTime() < quietMs) return;
    // One fetch may be in progress already, and one more may follow it.
    if (attempt.fetchesRequested > attempt.fetchesDone + 1) return;
    await store.change(record._id, `visit-${record._id}`, (current) => {
      const latest = latestAttempt(current);
      if (latest?.outcome !== 'open') return undefined;
      const step = isCancelled ? undefined : returnStep(current);
      const taken = step && takeStep(current, latest, step, now(), null);
      const { attempts, ...others } = requestFetch(taken ?? current, latest.n);
      const visited = attempts.map((one) => (one.n === latest.n ? { ...one, visitedAt: now() } : one));
      return { next: { ...others, attempts: visited } };
    });
  }

  /** The step that ends with the payer's return, not with a result that a browser posts. */
  function returnStep(record: PaymentRecord): ReturnType<typeof openStep> {
    const action = openAction(record, submitter.readAction);
    const latest = latestAttempt(record);
    const adapter = latest && registry.byName(accountRefOf(latest))?.adapter;
    if (action?.type !== 'redirect' || !adapter?.complete) return undefined;
    return action.method === 'GET' || action.completesOnReturn ? openStep(record) : undefined;
  }

  async function payPage(id: number, visit: PayVisit, admit: () => Promise<unknown>): Promise<PayPage | undefined> {
    const { linkKey, returnPart, token, isCancelled = false } = visit;
    const isBack = returnPart !== undefined && returnAddresses.isPartOf(id, returnPart);
    const read = token === undefined ? undefined : readToken(config.threeDs, token, now());
    const isOurs = read?.verdict === 'right' && read.token.paymentRequestId === String(id);
    const record = await store.load(id);
    if (!record) throw notFound(`payment request ${id}`);
    const knowsLink = linkKey !== undefined && sameText(linkKey, record.linkKey);
    const attempt = latestAttempt(record);
    const isRight = isOurs && read.token.attempt === attempt?.n;
    if (!knowsLink && !isOurs && !isBack) return undefined;
    await admit();
    const open = openAction(record, submitter.readAction);
    // A payer who is on the way to the bank has not returned yet: there is nothing to fetch. The token of an earlier
    // attempt says nothing about the present one.
    const leavesNow = knowsLink && !isCancelled && open?.type === 'redirect';
    const isEarlier = isOurs && !isRight && !isBack && !knowsLink;
    // The page is more important than the fetch. If requesting the fetch fails, reconciliation fetches the status.
    if (!leavesNow && !isEarlier && !visit.isQuiet) {
      await noteVisit(record, isCancelled).catch((error: unknown) =>
        log.warn({ err: error, paymentRequestId: id }, 'a visit could not request a fetch'),
      );
    }
    // A payment request without an attempt is about to get this status. A failed one stays failed, but its link has
    // expired.
    const state = isUnpaid(record) && isExpired(record, now()) ? 'expired' : statusLabelOf(record);
    const otherWay = isExpired(record, now()) ? null : otherWayOf(record, open);
    const isSlow = state === 'pending' && !open && attempt !== undefined && isLate(attempt);
    return {
      merchant: await merchantOf(record.ownerId),
      state,
      stepLost: record.statusId === status.pending && attempt?.stepLost === true,
      isSlow,
      leaveTo: fillAddress(isCancelled && chargesNothing(record) ? record.failureUrl : leaveTo(record, state), record),
      action: isRight ? nextAction(record, open, read.token.nonce) : knowsLink ? open : null,
      returnPart: returnAddresses.partOf(id),
      stamp: stampOf(record, state, open, otherWay, isSlow),
      details: knowsLink ? detailsOf(record, otherWay, await userOf(record.ownerId)) : null,
      due: dueOf(record, []),
    };
  }

  /**
   * The payer's next action. The token of a method step returns when the step is over, perhaps before a worker has
   * processed it.
   */
  function nextAction(record: PaymentRecord, action: PayPage['action'], nonce: string): PayPage['action'] {
    const isMethod = action?.type === 'redirect' && action.fields?.['threeDSMethodData'] !== undefined;
    return isMethod && latestAttempt(record)?.steps.at(-1)?.nonce === nonce ? null : action;
  }

  /** Counts from the submission, or from the payer's return. Networks of coins take minutes, and the page says so. */
  function isLate({ method, endedAt, steps }: Attempt): boolean {
    const since = steps.at(-1)?.takenAt ?? endedAt;
    return method !== 'crypto' && since !== null && now().getTime() - since.getTime() > USUAL_MS;
  }

  /** True while a step is open that the provider charges only if core completes it. */
  function chargesNothing(record: PaymentRecord): boolean {
    return replacing.replaceable(record)?.kind === 'now';
  }

  /** Only a payer who can see the open step needs to know when it can be left. */
  function otherWayOf(record: PaymentRecord, open: Action | null): PayPageDetails['otherWay'] {
    const replaceable = open ? replacing.replaceable(record) : undefined;
    if (replaceable?.kind === 'later') return replaceable.until;
    return replaceable === undefined || replaceable.kind === 'never' ? null : 'now';
  }

  function detailsOf(
    record: PaymentRecord,
    otherWay: PayPageDetails['otherWay'],
    merchant: AccountUser | undefined,
  ): PayPageDetails {
    const { amount, unit, environment, statusId, recipientName, referenceId, notes, providerAccount: account } = record;
    const known = knownOf(record);
    const mayPay = (isUnpaid(record) && !isExpired(record, now())) || otherWay === 'now';
    const ways = mayPay
      ? payerWays.of({ unit, amount, sandbox: environment === 'test', merchant, account }, known.country)
      : [];
    const latest = latestAttempt(record);
    return {
      recipientName,
      referenceId,
      notes,
      ...dueOf(record, ways),
      ways,
      known,
      attempts: record.attempts.length,
      startedAt: latest?.endedAt ?? null,
      otherWay,
      expiresAt: record.expiresAt ?? null,
      failure: statusId === status.failed && latest ? payFailureOf(latest) : null,
      method: latest?.method ?? null,
      wayTitle: latest ? wayTitleOf(latest) : null,
      coins: latest ? coinsOf(latest) : null,
      receipt: receiptOf(registry, record),
    };
  }

  function wayTitleOf({ adapter, method }: Attempt): string {
    const manifest = registry.byName(adapter)?.adapter.manifest;
    return manifest?.ways.find((way) => way.method === method)?.title ?? manifest?.title ?? adapter;
  }

  return payPage;
}

/** Without an attempt, a unit that is no currency has the currency of the first way. */
function dueOf(record: PaymentRecord, ways: readonly Pick<PayerWay, 'currency'>[]): PayDue {
  const { amount, unit, environment } = record;
  const currency = latestAttempt(record)?.currency ?? (hasDecimals(unit) ? unit : (ways[0]?.currency ?? null));
  return { amount: formatAmount({ amount, currency: unit }), unit, currency, isTest: environment === 'test' };
}

/** What the merchant, or an earlier attempt, said about the payer. */
function knownOf({ payerName, payerEmail, payerCountry, client, attempts }: PaymentRecord): Partial<PayerFields> {
  const country = attempts.at(-1)?.payerCountry ?? payerCountry ?? undefined;
  return defined({
    name: payerName ?? client.name ?? undefined,
    email: payerEmail ?? client.email ?? undefined,
    phoneNumber: client.phone ?? undefined,
    address: client.address ?? undefined,
    country: country && /^[A-Za-z]{2}$/.test(country) ? country.toUpperCase() : undefined,
  });
}

const STAMP_LENGTH = 16;

/**
 * A hash of everything that the page shows and that changes automatically. A hash, because not every holder of a return
 * address may see the action.
 */
function stampOf(
  record: PaymentRecord,
  state: StatusLabel,
  action: Action | null,
  otherWay: PayPageDetails['otherWay'],
  isSlow: boolean,
): string {
  const { attempts, refundedAmount } = record;
  const latest = latestAttempt(record);
  const { stepLost, received } = latest ?? {};
  const charged = latest && chargedAmount(latest);
  const shown = [state, attempts.length, stepLost, received, refundedAmount, charged, action, otherWay, isSlow];
  return hash('sha256', JSON.stringify(shown)).toString('base64url').slice(0, STAMP_LENGTH);
}

/** Without a reason, the payer's page says that the bank declined. */
function payFailureOf(attempt: Attempt): PayFailure {
  const failure = failureOf(attempt);
  if (failure === null || failure.kind === 'no_reason') return { kind: 'declined', code: '05' };
  return failure.kind === 'given_up' ? { kind: 'cancelled' } : failure;
}

function isUnpaid({ statusId }: PaymentRecord): boolean {
  return statusId === status.created || statusId === status.failed;
}

function leaveTo({ successUrl, failureUrl }: PaymentRecord, state: StatusLabel): string | null {
  if (state === 'paid' || state === 'refunded') return successUrl;
  return state === 'created' || state === 'pending' ? null : failureUrl;
}

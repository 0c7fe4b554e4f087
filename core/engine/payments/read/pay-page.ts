/** What the payer's page shows, and what a visit of it requests. */
import { defined, formatAmount, hasDecimals, hash, sameText, type Action, type PayerFields } from '@paywright/contract';
import { openAction } from '../present/answer.ts';
import { requestFetch } from '../record/request-fetch.ts';
import type { Logger } from 'pino';
import type { Registry } from '../../providers/registry.ts';
import type { ReturnAddresses } from '../present/return-address.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { PayerWays } from '../submit/payer-ways.ts';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Merchant, PayFailure, PayPage, PayPageDetails, PayVisit } from '../types/pay-page.ts';
import type { Submitter } from '../submit/submit.ts';
import { MINUTE, SECOND } from '../../../base/async/time.ts';
import { openStep, takeStep } from '../three-ds/step.ts';
import { readToken, type ThreeDsOptions } from '../three-ds/token.ts';
import { coinsOf, receiptOf } from './receipt.ts';
import { isExpired } from '../record/is-expired.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';

/**
 * A page that reloads by itself requests no further fetch before this has passed since the last that a visit requested: a
 * tenth of the time since the submission, so that a page that is left open costs the provider ever fewer calls. A check
 * that a worker made does not count: it may have come right before the payer was back.
 */
const QUIET_SHARE = 0.1;
const MIN_QUIET_MS = 5 * SECOND;
const MAX_QUIET_MS = 5 * MINUTE;

export interface PayPageDeps {
  readonly store: Pick<PaymentStore, 'load' | 'change'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly payerWays: PayerWays;
  readonly returnAddresses: Pick<ReturnAddresses, 'partOf' | 'isPartOf'>;
  readonly merchantOf: (ownerId: number) => Promise<Merchant>;
  readonly submitter: Pick<Submitter, 'readAction'>;
  readonly config: { readonly threeDs: ThreeDsOptions };
  readonly now: () => Date;
  readonly log: Logger;
}

/** `admit` is called before anything is requested, and may throw. */
export type ReadPayPage = (id: number, visit: PayVisit, admit: () => Promise<unknown>) => Promise<PayPage | undefined>;

export function createPayPage(deps: PayPageDeps): ReadPayPage {
  const { store, registry, payerWays, returnAddresses, merchantOf, submitter, config, now, log } = deps;

  /** The payer is back: completes the step that waits for it, else fetches the status. */
  async function noteVisit(record: PaymentRecord): Promise<void> {
    const attempt = latestAttempt(record);
    if (attempt?.outcome !== 'open' || !attempt.endedAt) return;
    const age = now().getTime() - attempt.openedAt.getTime();
    const quietMs = Math.min(Math.max(age * QUIET_SHARE, MIN_QUIET_MS), MAX_QUIET_MS);
    if (attempt.visitedAt && now().getTime() - attempt.visitedAt.getTime() < quietMs) return;
    // One fetch may be under way already, and one more follows it.
    if (attempt.fetchesRequested > attempt.fetchesDone + 1) return;
    await store.change(record._id, `visit-${record._id}`, (current) => {
      const latest = latestAttempt(current);
      if (latest?.outcome !== 'open') return undefined;
      const step = returnStep(current);
      const taken = step && takeStep(current, latest, step, now(), null);
      const { attempts, ...others } = requestFetch(taken ?? current, latest.n);
      const visited = attempts.map((one) => (one.n === latest.n ? { ...one, visitedAt: now() } : one));
      return { next: { ...others, attempts: visited } };
    });
  }

  /** A step that ends with the payer's return, not with a result that a browser posts. */
  function returnStep(record: PaymentRecord): ReturnType<typeof openStep> {
    const action = openAction(record, submitter.readAction);
    const adapter = registry.byName(latestAttempt(record)?.adapter ?? '')?.adapter;
    return action?.type === 'redirect' && action.method === 'GET' && adapter?.complete ? openStep(record) : undefined;
  }

  async function payPage(id: number, visit: PayVisit, admit: () => Promise<unknown>): Promise<PayPage | undefined> {
    const { linkKey, returnPart, token } = visit;
    const isBack = returnPart !== undefined && returnAddresses.isPartOf(id, returnPart);
    const read = token === undefined ? undefined : readToken(config.threeDs, token, now());
    const isOurs = read?.verdict === 'right' && read.token.paymentRequestId === String(id);
    // What is ours by its signature needs no look into the database; only a link is compared there.
    if (!isBack && !isOurs && linkKey === undefined) return undefined;
    const record = await store.load(id);
    if (!record) return undefined;
    const knowsLink = linkKey !== undefined && sameText(linkKey, record.linkKey);
    const attempt = latestAttempt(record);
    const isRight = isOurs && read.token.attempt === attempt?.n;
    if (!knowsLink && !isRight && !isBack) return undefined;
    await admit();
    const open = openAction(record, submitter.readAction);
    // A payer on the way to their bank is not back from it: there is nothing to fetch yet.
    const leavesNow = knowsLink && open?.type === 'redirect';
    // The page is worth more than the fetch: where requesting it fails, reconciliation fetches.
    if (!leavesNow) {
      await noteVisit(record).catch((error: unknown) =>
        log.warn({ err: error, paymentRequestId: id }, 'a visit could not request a fetch'),
      );
    }
    // One that nobody tried is about to have that status; one that failed stays failed, but its link is over.
    const state = isUnpaid(record) && isExpired(record, now()) ? 'expired' : statusLabelOf(record);
    return {
      merchant: await merchantOf(record.ownerId),
      state,
      stepLost: record.statusId === status.pending && attempt?.stepLost === true,
      leaveTo: leaveTo(record, state),
      action: isRight ? nextAction(record, open, read.token.nonce) : knowsLink ? open : null,
      returnPart: returnAddresses.partOf(id),
      stamp: stampOf(record, state, open),
      details: knowsLink ? detailsOf(record) : null,
    };
  }

  /** Where the payer goes on. A method step's own token comes back when it is over, perhaps before a worker has seen it. */
  function nextAction(record: PaymentRecord, action: PayPage['action'], nonce: string): PayPage['action'] {
    const isMethod = action?.type === 'redirect' && action.fields?.['threeDSMethodData'] !== undefined;
    return isMethod && latestAttempt(record)?.steps.at(-1)?.nonce === nonce ? null : action;
  }

  function detailsOf(record: PaymentRecord): PayPageDetails {
    const { amount, unit, environment, statusId, recipientName, referenceId, notes } = record;
    const known = knownOf(record);
    const mayPay = isUnpaid(record) && !isExpired(record, now());
    const ways = mayPay ? payerWays.of({ unit, amount, sandbox: environment === 'test' }, known.country) : [];
    const latest = latestAttempt(record);
    return {
      recipientName,
      referenceId,
      notes,
      amount: formatAmount({ amount, currency: unit }),
      unit,
      currency: latest?.currency ?? (hasDecimals(unit) ? unit : (ways[0]?.currency ?? null)),
      isTest: environment === 'test',
      ways,
      known,
      attempts: record.attempts.length,
      expiresAt: record.expiresAt ?? null,
      failure: statusId === status.failed && latest ? failureOf(latest) : null,
      method: latest?.method ?? null,
      coins: latest ? coinsOf(latest) : null,
      receipt: receiptOf(registry, record),
    };
  }

  return payPage;
}

/** What the merchant said of the payer, or an earlier attempt. */
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

/** Of all that a page shows and that changes by itself; a hash, for an action is not for everybody who has a return address. */
function stampOf(record: PaymentRecord, state: StatusLabel, action: Action | null): string {
  const { attempts, refundedAmount } = record;
  const { stepLost, received } = latestAttempt(record) ?? {};
  const shown = [state, attempts.length, stepLost, received, refundedAmount, action];
  return hash('sha256', JSON.stringify(shown)).toString('base64url').slice(0, STAMP_LENGTH);
}

function failureOf({ nothingCharged, threeDsResult, decline }: Attempt): PayFailure {
  if (nothingCharged) return { kind: 'nothing_charged' };
  return threeDsResult === null ? { kind: 'declined', code: decline ?? '05' } : { kind: 'three_ds' };
}

function isUnpaid({ statusId }: PaymentRecord): boolean {
  return statusId === status.created || statusId === status.failed;
}

function leaveTo({ successUrl, failureUrl }: PaymentRecord, state: StatusLabel): string | null {
  if (state === 'paid' || state === 'refunded') return successUrl;
  return state === 'created' || state === 'pending' ? null : failureUrl;
}

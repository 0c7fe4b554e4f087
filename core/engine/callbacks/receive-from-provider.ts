/** Receives a callback at a provider's route: verifies it, parses it, stores it durably, and only then answers. */
import type { Logger } from 'pino';
import type { AckOutcome, Acknowledgement, RawCallback } from '@paywright/contract';
import { countJsonValues, defaultMaxBodyBytes, maxJsonValues } from '@paywright/contract/core';
import type { Raise } from '../alarms/index.ts';
import { secondsSince, type Metrics } from '../../base/metrics/index.ts';
import { withSpan } from '../../base/traces/index.ts';
import type { ReturnAddresses } from '../payments/index.ts';
import { mainAccount } from '../providers/account-ref.ts';
import type { Side } from '../providers/callback-calls.ts';
import type { ProviderCalls } from '../providers/calls.ts';
import type { FoundRoute, Registry } from '../providers/registry.ts';
import { lackOf, type CountRefusal } from './count-refusal.ts';
import { paymentRequestIdOf, type Inbox } from './inbox.ts';
import { proveCallback, readEvents, type ProvenCallback, type ProvenEvents } from './prove-callback.ts';
import type { OwnershipReader } from './read-ownership.ts';
import type { VerificationTurns } from './verification-turns.ts';

/** The label by which received callbacks are counted. */
export type CallbackOutcome = AnsweredOutcome | 'handshake' | 'forbidden';
/** A callback is answered before its payment is looked up. */
type AnsweredOutcome = Exclude<AckOutcome, 'unknown_reference'>;

export interface ReceiveFromProviderDeps {
  readonly inbox: Inbox;
  readonly ownership: OwnershipReader;
  readonly registry: Pick<Registry, 'accountsToTry'>;
  readonly calls: ProviderCalls;
  readonly returnAddresses: ReturnAddresses;
  readonly turns: VerificationTurns;
  /** Called with the address of each server whose callback was genuine. */
  readonly onProven: (remoteAddress: string) => void;
  readonly logRefusal: (logFields: { readonly route: string }, outcome: AckOutcome, reason?: string) => void;
  readonly countRefusal: CountRefusal;
  readonly raise: Raise;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export type ReceiveFromProvider = (
  found: FoundRoute,
  path: string,
  raw: RawCallback,
  requestId: string,
) => Promise<Acknowledgement>;

export const tooManyWait = 'too many callbacks are waiting to be verified';

export function createReceiveFromProvider(deps: ReceiveFromProviderDeps): ReceiveFromProvider {
  const { inbox, ownership, calls, returnAddresses, turns, onProven, logRefusal, countRefusal, raise, metrics, log } =
    deps;

  return async function receiveFromProvider(
    found: FoundRoute,
    path: string,
    raw: RawCallback,
    requestId: string,
  ): Promise<Acknowledgement> {
    const started = performance.now();
    const { name: adapter, ref } = found.active;
    let account = accountLabelOf(metrics, found);
    let logFields = { requestId, adapter: ref, route: path };
    const origin = { route: path, remoteAddress: raw.remoteAddress, at: raw.receivedAt, raw };
    const counted = (
      outcome: CallbackOutcome,
      side: Side | undefined,
      acknowledgement: Acknowledgement,
    ): Acknowledgement => {
      metrics.callbacks.inc({ provider: adapter, account, mode: side ?? 'unknown', outcome });
      metrics.callbackAckSeconds.observe({ provider: adapter }, secondsSince(started));
      return acknowledgement;
    };
    const refuse = (outcome: AnsweredOutcome, reason: string, side?: Side): Acknowledgement => {
      logRefusal(logFields, outcome, reason);
      return counted(outcome, side, calls.acknowledge(found, { outcome, raw }, side ?? 'live'));
    };
    const prove = async (): Promise<ProvenCallback> => {
      const began = performance.now();
      const plan = { attributes: { 'gateway.adapter': adapter } };
      const result = await withSpan(
        'verify callback',
        () => plan,
        async (span) => {
          const proven = await proveCallback(deps, found, raw);
          span.set({ 'gateway.outcome': proven.verdict });
          return proven;
        },
      );
      metrics.callbackVerificationSeconds.observe({ provider: adapter }, secondsSince(began));
      return result;
    };
    const values = countJsonValues(raw.body);
    if (values > maxJsonValues(maxBodyBytesOf(found))) {
      raise('callback_too_large', { type: 'adapter', id: adapter }, `${values} JSON values to ${path}`, logFields);
      return counted('malformed', undefined, calls.acknowledge(found, { outcome: 'malformed', raw }, 'live'));
    }
    const proven = await turns.run(raw.remoteAddress, prove);
    if (!proven) return refuse('try_later', tooManyWait);
    if (!('proofs' in proven)) {
      const { verdict: outcome, reason, side } = proven;
      if (outcome !== 'try_later') countRefusal(adapter, lackOf(outcome, reason), origin);
      return refuse(outcome, reason, side);
    }
    const isGenuine = proven.verdict === 'genuine';
    // A genuine message that a payer's browser brings proves nothing about the browser's address.
    if (isGenuine && found.route.caller === 'server') onProven(raw.remoteAddress);
    // The first of several accounts with the same secret answers.
    const [{ found: by, verified, side }] = proven.proofs;
    logFields = { ...logFields, adapter: by.active.ref };
    if (isGenuine) account = metrics.accountLabel(adapter, by.active.account);
    const handshake = calls.probe(by, verified, side);
    if (handshake) {
      log.info(logFields, 'handshake answered');
      return counted('handshake', side, handshake);
    }
    const parsed = readEvents(calls, proven.proofs);
    const all = 'groups' in parsed ? parsed.groups.flatMap(({ events }) => events) : [];
    const answer = (outcome: AnsweredOutcome): Acknowledgement => {
      const received = all.map(({ kind, providerStatus }) => `${kind} ${providerStatus}`);
      const ms = Math.round(performance.now() - started);
      log.info({ ...logFields, outcome, events: received, ms }, 'callback received');
      const acknowledgement = counted(outcome, side, calls.acknowledge(by, { outcome, raw, verified }, side));
      if (!isGenuine) return acknowledgement;
      const named = all.map(paymentRequestIdOf).filter((id) => id !== null);
      return returnAddresses.complete(acknowledgement, (id) => !named.length || named.includes(Number(id)));
    };
    const callback = { adapter, path, raw, requestId };
    if ('malformed' in parsed) {
      const accounts = proven.proofs.map((proof) => proof.found.active.account);
      const stored = await inbox.store({ ...callback, ...toOwners(accounts) });
      // The alarm is cleared when no such callback is kept any more.
      raise('callback_unreadable', { type: 'adapter', id: adapter }, parsed.malformed, logFields);
      return answer(stored === 'try_later' ? stored : 'malformed');
    }
    const { hasRefused } = parsed;
    const ours = parsed.groups.flatMap((group) => {
      const events = group.events.filter((event) => event.reference === null || paymentRequestIdOf(event) !== null);
      return events.length > 0 ? [{ ...group, events }] : [];
    });
    if (ours.length === 0 && hasRefused) countRefusal(adapter, 'the proof of each entry', origin);
    if (ours.length === 0) return answer(hasRefused ? 'invalid_signature' : 'ignored');
    if (!isGenuine) {
      const events = ours.flatMap((group) => group.events.map((event) => ({ ...event, mustFetch: true as const })));
      const kept = await inbox.storePing({ ...callback, events });
      return answer(hasRefused && kept !== 'try_later' ? 'invalid_signature' : kept);
    }
    // A secret proves nothing about a payment of the other mode or of another account. The event is stored, and raises
    // an alarm.
    const [stored, isOfOther] = await Promise.all([
      Promise.all(
        ours.map(async ({ accounts, events }) => inbox.store({ ...callback, ...toOwners(accounts), events })),
      ),
      Promise.all(ours.map(isAboutOther)),
    ]);
    if (stored.includes('try_later')) return answer('try_later');
    if (isOfOther.every(Boolean)) return answer('ignored');
    if (hasRefused) return answer('invalid_signature');
    return answer(stored.includes('accepted') ? 'accepted' : 'duplicate');
  };

  /** True if nothing of these events is about a payment of the accounts and the mode that prove them. */
  async function isAboutOther({ proof, accounts, events }: ProvenEvents): Promise<boolean> {
    const { found, mode } = proof;
    const named = events.filter(({ ofOtherAccount }) => !ofOtherAccount);
    if (named.length === 0) return true;
    if (mode === undefined && !found.hasAccounts) return false;
    const { name: adapter } = found.active;
    return ownership.isOfOther(named, { adapter, mode, accounts: found.hasAccounts ? accounts : undefined });
  }
}

/** The metric label of an unproven callback. At the address of all accounts, only a proof shows the account. */
export function accountLabelOf({ accountLabel }: Pick<Metrics, 'accountLabel'>, found: FoundRoute | undefined): string {
  if (!found) return mainAccount;
  const { hasAccounts, isOwnAddress, active } = found;
  return hasAccounts && !isOwnAddress ? 'unknown' : accountLabel(active.name, active.account);
}

/** The account that a row of the inbox belongs to, and the others whose secret fits as well. */
function toOwners([account = mainAccount, ...sharedWith]: readonly string[]): {
  readonly account: string;
  readonly sharedWith: readonly string[];
} {
  return { account, sharedWith };
}

export function maxBodyBytesOf(found: FoundRoute | undefined): number {
  return found?.route.maxBodyBytes ?? defaultMaxBodyBytes;
}

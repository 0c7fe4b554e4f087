/** Opens an attempt on a payment, and ends one that a risk rule denies. */
import { readIpAddress } from '@paywright/contract';
import type { Logger } from 'pino';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { outcomeFact } from '../state/apply-outcome.ts';
import type { FeeOf } from '../state/fee.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { PayerInput } from '../types/input.ts';
import { createAttempt, withPaymentWay } from './attempt.ts';
import type { Candidate } from './routing.ts';
import { GRACE_MS } from './settle.ts';
import type { Ended } from './unfinished-step.ts';

export interface OpenAttemptDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'methodOf'>;
  readonly feeOf: FeeOf;
  readonly config: { readonly callTimeoutMs: number; readonly premiumCardBins: readonly string[] };
  readonly now: () => Date;
  readonly log: Logger;
}

export interface Attempts {
  /**
   * Returns the payment with a new open attempt. Stores nothing. `ruleId`: the route rule that chose the provider.
   * `replaces`: an open attempt that the new one ends.
   */
  open(
    record: PaymentRecord,
    candidate: Candidate,
    input: PayerInput,
    ruleId: number | null,
    replaces?: Ended,
  ): PaymentRecord;
  /** Fails the latest attempt because a risk rule denies it: the provider is not called. */
  deny(record: PaymentRecord, reason: string, requestId: string): Promise<PaymentRecord>;
}

/** What operators see of the payer of a submission, in addition to name and e-mail. */
function contactOf({ payer }: PayerInput): Pick<PaymentRecord, 'payerPhone' | 'payerIp'> {
  const ip = readIpAddress(payer.ipAddress);
  return { ...(payer.phoneNumber && { payerPhone: payer.phoneNumber }), ...(ip !== undefined && { payerIp: ip }) };
}

export function createAttempts({ store, calls, feeOf, config, now, log }: OpenAttemptDeps): Attempts {
  function open(
    record: PaymentRecord,
    { active, money }: Candidate,
    input: PayerInput,
    ruleId: number | null,
    replaces?: Ended,
  ): PaymentRecord {
    const at = now();
    const opened = createAttempt(
      {
        n: record.attempts.length + 1,
        paymentRequestId: record._id,
        adapter: active.name,
        account: active.account,
        providerCode: active.adapter.manifest.code,
        method: active.adapter.manifest.ways[0].method,
        money,
        sandbox: record.environment === 'test',
        isFallback: false,
        now: at,
        limitMs: config.callTimeoutMs + GRACE_MS,
      },
      input,
    );
    const attempt = withPaymentWay(calls, active, record, opened, input);
    const number = input.card?.number ?? '';
    return {
      ...withAttemptAdded(record, attempt, at, replaces),
      routeRuleId: ruleId,
      exchangeRate: '1',
      isPremiumCardBin: config.premiumCardBins.some((bin) => number.startsWith(bin)),
      payerName: record.payerName ?? input.payer.name ?? null,
      payerEmail: record.payerEmail ?? input.payer.email ?? null,
      ...contactOf(input),
      nextCheckAt: attempt.deadlineAt,
    };
  }

  function withAttemptAdded(record: PaymentRecord, attempt: Attempt, at: Date, replaces?: Ended): PaymentRecord {
    if (replaces === undefined) {
      const transition = { at, from: record.statusId, to: status.pending, cause: 'submitted' } as const;
      const { attempts, transitions } = record;
      return {
        ...record,
        attempts: [...attempts, attempt],
        statusId: status.pending,
        transitions: [...transitions, transition],
      };
    }
    const { n, isClosed } = replaces;
    const fact = { type: 'replace', attempt: n, by: attempt, at, isClosed } as const;
    const replaced = applyFacts(record, [fact], feeOf);
    if (!replaced) throw new Error(`attempt ${n} of payment request ${record._id} is not open`);
    return replaced.next;
  }

  async function deny(record: PaymentRecord, reason: string, requestId: string): Promise<PaymentRecord> {
    const outcome = { outcome: 'failed', decline: '05', declineText: reason } as const;
    const { n } = latestAttempt(record)!;
    const fact = outcomeFact(n, outcome, now());
    const denied = await store.change(record, requestId, (current) => applyFacts(current, [fact], feeOf));
    log.warn({ requestId, paymentRequestId: record._id, reason }, 'denied by a risk rule');
    return denied.record;
  }

  return { open, deny };
}

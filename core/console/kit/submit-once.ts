/**
 * What an operator agreed to is done once, however often its form is sent: by a double click, by a reload, or again after a
 * proxy gave up waiting. Of all hosts the first does it, and the others show what came of it.
 */
import * as v from 'valibot';
import type { Idempotency } from '../../engine/access/index.ts';
import { errorKinds, GatewayError, type ErrorKind } from '../../base/errors.ts';
import { MINUTE } from '../../base/async/time.ts';
import type { OneTimeResult } from './action.ts';

/** What one is shown after an act, or where one is led. */
export type ActionOutcome = { readonly leadsTo: string } | { readonly shown: OneTimeResult; readonly back: string };

export interface ConfirmedAction {
  /** Who confirmed. */
  readonly by: string;
  /** Of the page that asked. */
  readonly confirmationId: string;
  /** Of what was agreed to. */
  readonly fingerprint: string;
}

/** Gives the outcome of the first run, or rejects as that did; what was refused before anything was done may be tried again. */
export type SubmitOnce = (
  confirmed: ConfirmedAction,
  perform: (operationId: string) => Promise<ActionOutcome>,
) => Promise<ActionOutcome>;

/** No merchant has this id. */
const ownerId = 0;
/** So long the host that did it shows the same page again, with its secret: who presses twice sees the second answer alone. */
const sameAnswerMs = MINUTE;

export interface SubmitOnceDeps {
  readonly idempotency: Idempotency;
  readonly now: () => Date;
}

interface Recent {
  readonly outcome: Promise<ActionOutcome>;
  endedAt?: number;
}

export function createSubmitOnce({ idempotency, now }: SubmitOnceDeps): SubmitOnce {
  const recent = new Map<string, Recent>();

  function forgetOld(): void {
    const oldest = now().getTime() - sameAnswerMs;
    for (const [key, { endedAt }] of recent) if (endedAt !== undefined && endedAt <= oldest) recent.delete(key);
  }

  async function run(
    { by, confirmationId, fingerprint }: ConfirmedAction,
    perform: Parameters<SubmitOnce>[1],
  ): Promise<ActionOutcome> {
    const key = `console ${confirmationId} ${by}`.slice(0, 255);
    const asked = { ownerId, environment: 'live', key, fingerprint, requestId: `console-${confirmationId}` } as const;
    const start = await idempotency.begin(asked).catch((error: unknown) => {
      throw error instanceof GatewayError && error.kind === 'IDEMPOTENCY_CONFLICT' ? alreadySubmitted(error) : error;
    });
    if (start.state === 'replay') return readStoredOutcome(start.response.body);
    const { record } = start;
    const stopRenewal = idempotency.hold(record);
    try {
      const outcome = await perform(record.operationId);
      await idempotency.complete(record, { status: 200, headers: {}, body: toStoredOutcome(outcome) });
      return outcome;
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind === 'INTERNAL_ERROR') await idempotency.release(record);
      else if (!error.isProviderAnswer) await idempotency.abandon(record);
      else {
        const { kind, message } = error;
        await idempotency.complete(record, { status: errorKinds[kind].status, headers: {}, body: { kind, message } });
      }
      throw error;
    } finally {
      stopRenewal();
    }
  }

  return async (confirmed, perform) => {
    forgetOld();
    const key = JSON.stringify([confirmed.by, confirmed.confirmationId, confirmed.fingerprint]);
    const same = recent.get(key);
    if (same) return same.outcome;
    const first: Recent = { outcome: run(confirmed, perform) };
    recent.set(key, first);
    first.outcome.then(
      () => (first.endedAt = now().getTime()),
      () => recent.delete(key),
    );
    return first.outcome;
  };
}

const StoredOutcome = v.union([
  v.object({ leadsTo: v.string() }),
  v.object({ title: v.string(), back: v.string() }),
  v.object({ kind: v.picklist(Object.keys(errorKinds) as [ErrorKind, ...ErrorKind[]]), message: v.string() }),
]);

/** Never what is shown once. */
function toStoredOutcome(outcome: ActionOutcome): v.InferOutput<typeof StoredOutcome> {
  return 'leadsTo' in outcome ? outcome : { title: outcome.shown.title, back: outcome.back };
}

/** A refusal that was kept is thrown again. */
function readStoredOutcome(body: unknown): ActionOutcome {
  const stored = v.parse(StoredOutcome, body);
  if ('leadsTo' in stored) return stored;
  if ('kind' in stored) throw new GatewayError(stored.kind, stored.message);
  const lines = [['It was done when this form was sent first', 'what it made was shown then, and only then']] as const;
  return { shown: { title: stored.title, lines }, back: stored.back };
}

function alreadySubmitted(cause: GatewayError): GatewayError {
  const message = 'this form was sent before, and what it asks for is under way: look at what came of it in the audit';
  return new GatewayError('IDEMPOTENCY_CONFLICT', message, { cause });
}

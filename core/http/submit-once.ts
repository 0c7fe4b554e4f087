/**
 * Performs a confirmed action once, even if its form is sent several times: by a double click, by a reload, or again
 * after a proxy timed out. The first host to receive the form performs the action. The other hosts show its outcome.
 */
import * as v from 'valibot';
import type { Idempotency } from '../engine/access/index.ts';
import { errorKinds, GatewayError, type ErrorKind } from '../base/errors.ts';
import type { Look } from '../html/components/parts.ts';
import { MINUTE } from '../base/async/time.ts';

/** `look`: the line is the result of a check, and its name has the colour of that result. */
export type OneTimeLine = readonly [name: string, value: string, look?: Look];

/** A result that is shown once, on a page of its own, such as a new secret. */
export interface OneTimeResult {
  readonly title: string;
  /** What to do with the lines, above them. */
  readonly intro?: string;
  readonly lines: readonly OneTimeLine[];
  /** The page that follows, if only the action knows it. */
  readonly back?: string;
  /** The label of the link that leads away. */
  readonly seen?: string;
}

/** The page that is shown after an action, or the address of the redirect and what the page there says was done. */
export type ActionOutcome =
  | { readonly leadsTo: string; readonly done?: string | undefined }
  | { readonly shown: OneTimeResult; readonly back: string };

export interface ConfirmedAction {
  /** The operator, or the portal link, that confirmed. */
  readonly by: string;
  /** Identifies the page that asked for confirmation. The form field is called `once`. */
  readonly confirmationId: string;
  /** Identifies what was confirmed. */
  readonly fingerprint: string;
}

/** True for the id that a page puts into its form: a UUID. */
export function isConfirmationId(text: string): boolean {
  return /^[\da-f-]{36}$/.test(text);
}

/**
 * Returns the outcome of the first run, or rejects as the first run did. An action that was refused before any work
 * started may be retried.
 */
export type SubmitOnce = (
  confirmed: ConfirmedAction,
  perform: (operationId: string) => Promise<ActionOutcome>,
) => Promise<ActionOutcome>;

/** The id of no merchant. */
const ownerId = 0;
/**
 * The host that performed the action shows the same page again for this long, including a secret: after a double click,
 * the browser shows only the second response.
 */
const sameAnswerMs = MINUTE;

export interface SubmitOnceDeps {
  /** The pages that ask. Two kinds of pages never share an action. */
  readonly pages: 'console' | 'portal';
  readonly idempotency: Idempotency;
  readonly now: () => Date;
}

interface Recent {
  readonly outcome: Promise<ActionOutcome>;
  endedAt?: number;
}

export function createSubmitOnce({ pages, idempotency, now }: SubmitOnceDeps): SubmitOnce {
  const recent = new Map<string, Recent>();

  function forgetOld(): void {
    const oldest = now().getTime() - sameAnswerMs;
    for (const [key, { endedAt }] of recent) if (endedAt !== undefined && endedAt <= oldest) recent.delete(key);
  }

  async function run(
    { by, confirmationId, fingerprint }: ConfirmedAction,
    perform: Parameters<SubmitOnce>[1],
  ): Promise<ActionOutcome> {
    const key = `${pages} ${confirmationId} ${by}`.slice(0, 255);
    const asked = { ownerId, environment: 'live', key, fingerprint, requestId: `${pages}-${confirmationId}` } as const;
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
  v.object({ leadsTo: v.string(), done: v.optional(v.string()) }),
  v.object({ title: v.string(), back: v.string() }),
  v.object({ kind: v.picklist(Object.keys(errorKinds) as [ErrorKind, ...ErrorKind[]]), message: v.string() }),
]);

/** Omits what is shown only once. */
function toStoredOutcome(outcome: ActionOutcome): v.InferOutput<typeof StoredOutcome> {
  return 'leadsTo' in outcome ? outcome : { title: outcome.shown.title, back: outcome.back };
}

/** Throws a stored refusal again. */
function readStoredOutcome(body: unknown): ActionOutcome {
  const stored = v.parse(StoredOutcome, body);
  if ('leadsTo' in stored) return stored;
  if ('kind' in stored) throw new GatewayError(stored.kind, stored.message);
  const lines = [
    ['Already done', 'the result was shown when this form was sent the first time, and only then'],
  ] as const;
  return { shown: { title: stored.title, lines }, back: stored.back };
}

function alreadySubmitted(cause: GatewayError): GatewayError {
  const message = 'this form was sent before, and its action is in progress: the audit log will have the result';
  return new GatewayError('IDEMPOTENCY_CONFLICT', message, { cause });
}

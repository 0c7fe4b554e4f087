/** Route `POST adyen`: standard webhooks. A webhook is a batch of items; each item has its own signature. */
import {
  acknowledgeBy,
  defineRoute,
  flatMapInSlices,
  genuine,
  invalidSignature,
  isBasicOf,
  lenient,
  malformed,
  readAs,
  readJsonObject,
  text,
  v,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { isAmbiguous, SignedMembers, toText, verifyItem } from '../signing.ts';
import {
  captures,
  disputeOrder,
  failedRequests,
  isKnownCode,
  kindOf,
  reversals,
  silentCodes,
  withoutEffect,
} from '../statuses.ts';
import { readAmount, readReference, textsOf } from '../wire.ts';

const Item = v.object({
  ...SignedMembers.entries,
  reason: lenient(v.string()),
  additionalData: lenient(v.unknown()),
});
type Item = v.InferOutput<typeof Item>;
const Wrapped = v.object({ NotificationRequestItem: Item });
const Hinted = v.object({
  NotificationRequestItem: v.object({ eventCode: v.string(), merchantAccountCode: v.string() }),
});

/**
 * Returns the item if it is proven. The password proves the caller, so an item that can change nothing here needs no
 * signature. `refused`: an item that could change something is unsigned, wrongly signed, or of another account.
 */
function readItem(wrapped: unknown, { merchantAccount, hmacKeys }: Options): Item | 'ignored' | 'refused' {
  const item = readAs(Wrapped, wrapped)?.NotificationRequestItem;
  if (!item?.eventCode) return 'refused';
  const signature = textsOf(item.additionalData)['hmacSignature'];
  // Adyen signs every event of a payment. A new code without a signature is about reports and the like.
  const canChange = isKnownCode(item.eventCode) || signature !== undefined;
  if (silentCodes.has(item.eventCode) || !canChange) return 'ignored';
  const isOurs = item.merchantAccountCode === merchantAccount && signature !== undefined;
  return isOurs && verifyItem(hmacKeys, item, signature) !== undefined ? item : 'refused';
}

/** The item's `reason` is not signed, so a refusal carries no decline code. The answer to the payment carries it. */
function toEvents(item: Item, mode: Pick<ReportedEvent, 'mode'>): ReportedEvent[] {
  const { pspReference, originalReference, eventCode, merchantReference, amount } = item;
  const providerStatus = `${eventCode}:${item.success.toLowerCase()}`;
  const named = readReference(merchantReference);
  // Items about a later request have their own reference, and name the payment's reference or none.
  const payment = eventCode === 'AUTHORISATION' ? pspReference : originalReference;
  const isOfOtherSystem = !named && (eventCode === 'AUTHORISATION' || originalReference === '');
  if (isOfOtherSystem || withoutEffect.has(providerStatus) || isAmbiguous(item)) return [];
  const kind = kindOf(providerStatus);
  const isPartOfPayment = kind !== 'payment' || captures.has(providerStatus);
  const failedRequest = failedRequests[providerStatus];
  return [
    {
      kind,
      providerStatus,
      reference: named?.reference ?? null,
      providerReference: payment || null,
      ...(isPartOfPayment && pspReference ? { subReference: pspReference } : {}),
      ...(kind === 'chargeback' ? { orderHint: disputeOrder(providerStatus) } : {}),
      ...(kind === 'chargeback' || failedRequest ? { details: detailsOf(item) } : {}),
      ...(failedRequest ? { failedRequest } : {}),
      ...(reversals.has(providerStatus) ? { orRefunded: true } : {}),
      ...readAmount(amount),
      dedupeKey: pspReference ? `${pspReference}:${providerStatus}` : null,
      ...mode,
      facts: { isHeld: named?.isHeld ?? false },
    },
  ];
}

const MAX_DETAIL = 200;

/** Details of a dispute or of a failed request, for the merchant to read. Adyen does not sign them. */
function detailsOf({ reason, additionalData }: Item): Readonly<Record<string, string>> {
  const data = textsOf(additionalData);
  const details = {
    reason,
    reasonCode: data['chargebackReasonCode'],
    scheme: data['chargebackSchemeCode'],
    deadline: data['defensePeriodEndsAt'],
    disputeStatus: data['disputeStatus'],
    defendable: data['defendable'],
    arn: data['arn'],
  };
  const shown = Object.entries(details).map(([name, value]) => [name, (value ?? '').trim().slice(0, MAX_DETAIL)]);
  return Object.fromEntries(shown.filter(([, value]) => value !== ''));
}

interface Batch {
  readonly items: readonly Item[];
  readonly refusedAt: readonly number[];
  readonly live: unknown;
}

export const webhook = defineRoute<Options, Batch>({
  path: 'adyen',
  method: 'POST',
  // A batch may hold several items, each with all additional data that the account has enabled.
  maxBodyBytes: 1_048_576,
  caller: 'server',
  reports: 'payments, captures, refunds and disputes',
  contentTypes: ['application/json'],

  // An item about reports may name a company account, which is none of ours.
  accountHint({ body }) {
    const { notificationItems } = readJsonObject(body) ?? {};
    if (!Array.isArray(notificationItems)) return undefined;
    const items = notificationItems.flatMap((item) => readAs(Hinted, item)?.NotificationRequestItem ?? []);
    const named = items.filter(({ eventCode }) => !silentCodes.has(eventCode));
    return [...new Set(named.map(({ merchantAccountCode }) => merchantAccountCode))];
  },

  // A refused item does not affect the others. A batch of which nothing is accepted is refused completely.
  async verifySignature(raw, { options }) {
    if (!isBasicOf(raw, options.webhookUser, options.webhookPasswords)) return invalidSignature('Authorization');
    const { notificationItems, live, type } = readJsonObject(raw.body) ?? {};
    // Webhooks of another form, such as changes of bank accounts: they say nothing about a payment.
    if (notificationItems === undefined && typeof type === 'string') return genuine({ items: [], refusedAt: [], live });
    if (!Array.isArray(notificationItems) || notificationItems.length === 0) return malformed('no notificationItems');
    const read = await flatMapInSlices(notificationItems, (item) => [readItem(item, options)]);
    const items = read.filter((one) => typeof one !== 'string');
    const refusedAt = [...read.keys()].filter((at) => read[at] === 'refused');
    if (refusedAt.length > 0 && items.length === 0) {
      return invalidSignature('no item about a payment has a valid signature and our merchantAccount');
    }
    return genuine({ items, refusedAt, live });
  },

  parseCallback({ value: { items, refusedAt, live } }) {
    const side = toText(live);
    const mode = side === 'true' ? ({ mode: 'live' } as const) : side === 'false' ? ({ mode: 'test' } as const) : {};
    return { events: items.flatMap((item) => toEvents(item, mode)), refused: refusedAt.length, refusedAt };
  },

  // Adyen sends a webhook again unless the answer is 2xx. Older integrations must answer this exact text.
  acknowledge: acknowledgeBy({
    accepted: text('[accepted]'),
    invalid_signature: text('[refused]', 401, { 'WWW-Authenticate': 'Basic realm="webhooks"' }),
    malformed: text('[unreadable]', 400),
    try_later: text('[later]', 503),
  }),
});

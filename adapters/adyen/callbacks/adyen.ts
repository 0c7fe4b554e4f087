/** Route `POST adyen`: standard webhooks. A webhook is a batch of items; each item has its own signature. */
import {
  acknowledgeBy,
  defineRoute,
  flatMapInSlices,
  genuine,
  invalidSignature,
  isBasicOf,
  malformed,
  readAs,
  readJsonObject,
  text,
  v,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { isAmbiguous, verifyItem } from '../signing.ts';
import { disputeOrder, failedRequests, kindOf, silentCodes } from '../statuses.ts';
import { Amount, readReference, textsOf, toMoney } from '../wire.ts';

const Wrapped = v.object({
  NotificationRequestItem: v.object({
    pspReference: v.string(),
    originalReference: v.nullish(v.string()),
    merchantAccountCode: v.string(),
    merchantReference: v.string(),
    amount: Amount,
    eventCode: v.string(),
    success: v.string(),
    reason: v.fallback(v.nullish(v.string()), null),
    additionalData: v.looseObject({ hmacSignature: v.string() }),
  }),
});
type Item = v.InferOutput<typeof Wrapped>['NotificationRequestItem'];

/** Returns the item in a list, or an empty list if its form, its account or its signature is wrong. */
function readItem(wrapped: unknown, { merchantAccount, hmacKeys }: Options): Item[] {
  const item = readAs(Wrapped, wrapped)?.NotificationRequestItem;
  if (item?.merchantAccountCode !== merchantAccount) return [];
  return verifyItem(hmacKeys, item, item.additionalData.hmacSignature) === undefined ? [] : [item];
}

/** The item's `reason` is not signed, so a refusal carries no decline code. The answer to the payment carries it. */
function toEvents(item: Item, mode: Pick<ReportedEvent, 'mode'>): ReportedEvent[] {
  const { pspReference, eventCode, success, amount } = item;
  if (silentCodes.has(eventCode) || isAmbiguous(item)) return [];
  const providerStatus = `${eventCode}:${success}`;
  const kind = kindOf(providerStatus);
  const named = readReference(item.merchantReference);
  const failedRequest = failedRequests[providerStatus];
  return [
    {
      kind,
      providerStatus,
      reference: named?.reference ?? item.merchantReference,
      // Items about a later request have their own reference, and name the payment's reference or none.
      providerReference: eventCode === 'AUTHORISATION' ? pspReference : item.originalReference || null,
      ...(kind === 'payment' ? {} : { subReference: pspReference }),
      ...(kind === 'chargeback' ? { orderHint: disputeOrder(providerStatus) } : {}),
      ...(kind === 'chargeback' || failedRequest ? { details: detailsOf(item) } : {}),
      ...(failedRequest ? { failedRequest } : {}),
      ...toMoney(amount),
      dedupeKey: `${pspReference}:${providerStatus}`,
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
    reason: reason ?? undefined,
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
  readonly refused: number;
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

  // A refused item does not affect the others. A batch without a good item is refused completely.
  async verifySignature(raw, { options }) {
    if (!isBasicOf(raw, options.webhookUser, options.webhookPasswords)) return invalidSignature('Authorization');
    const { notificationItems, live } = readJsonObject(raw.body) ?? {};
    if (!Array.isArray(notificationItems) || notificationItems.length === 0) return malformed('no notificationItems');
    const items = await flatMapInSlices(notificationItems, (item) => readItem(item, options));
    if (items.length === 0) return invalidSignature('no item has a valid signature and our merchantAccount');
    return genuine({ items, refused: notificationItems.length - items.length, live });
  },

  parseCallback({ value: { items, refused, live } }) {
    const mode = live === 'true' ? ({ mode: 'live' } as const) : live === 'false' ? ({ mode: 'test' } as const) : {};
    return { events: items.flatMap((item) => toEvents(item, mode)), refused };
  },

  // Adyen sends a webhook again unless the answer is 2xx. Older integrations must answer this exact text.
  acknowledge: acknowledgeBy({
    accepted: text('[accepted]'),
    invalid_signature: text('[refused]', 401, { 'WWW-Authenticate': 'Basic realm="webhooks"' }),
    malformed: text('[unreadable]', 400),
    try_later: text('[later]', 503),
  }),
});

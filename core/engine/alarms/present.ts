/** An alarm as operators see it: in the console, the command line, mails and webhooks. */
import type { Connection } from 'mongoose';
import type { Alarm, AlarmAbout } from '../../database/collections/alarm.ts';
import { ownerModel, type OwnerDocument } from '../../database/collections/owner.ts';
import type { Environment } from '../../base/environment.ts';
import { amountText } from '../../base/text/money-text.ts';
import { showAmount } from '../../base/text/show-amount.ts';
import { meaningOf } from './kinds.ts';
import { partsOf } from './subjects.ts';

export function presentAlarm(alarm: Omit<Alarm, 'lease' | 'failures'>) {
  const { _id: id, kind, subject, reason, state, count, firstSeenAt, lastSeenAt, money = null } = alarm;
  return {
    id,
    kind,
    subject,
    reason,
    state,
    count,
    firstSeenAt,
    lastSeenAt,
    ...meaningOf(kind),
    environment: environmentOf(alarm) ?? null,
    ownerId: ownerIdOf(alarm) ?? null,
    money,
    acknowledgedBy: acknowledgedBy(alarm)?.by ?? null,
  };
}

/** The mode of the payment, adapter or merchant. Undefined: the alarm is about the service, or its mode is unknown. */
export function environmentOf({
  environment,
  subject,
}: Pick<Alarm, 'environment' | 'subject'>): Environment | undefined {
  if (environment !== undefined) return environment;
  return subject.type === 'adapter' || subject.type === 'owner' ? partsOf(subject).environment : undefined;
}

/** The id of the merchant. Undefined: the alarm is about no merchant, or an earlier version raised it. */
export function ownerIdOf({ ownerId, subject }: Pick<Alarm, 'ownerId' | 'subject'>): number | undefined {
  return ownerId ?? (subject.type === 'owner' ? Number(partsOf(subject).name) : undefined);
}

/** The latest acknowledgement of an acknowledged alarm. Undefined: there is none, or an earlier version stored it. */
export function acknowledgedBy({ state, history = [] }: Pick<Alarm, 'state' | 'history'>) {
  return state === 'acknowledged' ? history.findLast(({ what }) => what === 'acknowledged') : undefined;
}

/** The names of the merchants of alarms, by id. */
export async function readMerchantNames(
  connection: Connection,
  alarms: readonly Pick<Alarm, 'ownerId' | 'subject'>[],
): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(alarms.flatMap((alarm) => ownerIdOf(alarm) ?? []));
  if (ids.size === 0) return new Map();
  const found = await ownerModel(connection)
    .find({ _id: { $in: [...ids] } }, { name: 1 })
    .lean<Pick<OwnerDocument, '_id' | 'name'>[]>();
  return new Map(found.map(({ _id, name }) => [_id, name]));
}

/** Names the subject: `payment 10042`, `provider-a (test)`, `Ribeira Books, https://shop.example`. */
export function subjectText({ type, id }: Alarm['subject'], merchant: string | undefined): string {
  if (type === 'adapter') return id;
  if (type === 'callback') return `callback ${id.length > 24 ? `${id.slice(0, 12)}…` : id}`;
  if (type !== 'owner') return `${type} ${id}`;
  const { name, environment, about } = partsOf({ id });
  const side = environment === 'test' ? ' (test)' : '';
  return `${merchant ?? `merchant ${name}`}${side}${about === undefined ? '' : `, ${about}`}`;
}

/** The money at stake, such as `€59.00`. Undefined: unknown. */
export function stakeText({ money }: AlarmAbout): string | undefined {
  return money && showAmount('en', amountText(money.amount, money.currency), money.currency);
}

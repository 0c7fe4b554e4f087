/** Status fetch: the current charge. The answer does not show refunds and disputes. */
import { noInformation, readAs, readJsonObject, urlPath, v, type Ability } from '@paywright/contract';
import { readReply, toEvent } from './charge.ts';
import type { Options } from './options.ts';
import { get } from './wire.ts';

const List = v.object({ charges: v.array(v.unknown()) });

/** Asks by the charge's id if that is known, otherwise by our reference. */
export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, { http, options }) => {
  const { providerReference, reference } = payment;
  const path = providerReference ? urlPath`/v1/charges/${providerReference}` : urlPath`/v1/charges?ref=${reference}`;
  const reply = await http.send(get(options, path));
  if (reply.status !== 200) return noInformation(`the vault answered ${reply.status}`);
  const message = readJsonObject(reply.body);
  const list = providerReference ? [message] : readAs(List, message)?.charges;
  if (list?.length === 0) return { result: 'nothing_charged' };
  const found = list?.length === 1 ? readReply(list[0], payment, options) : undefined;
  if (!found) return noInformation('the answer is not a status of this payment');
  return { result: 'events', events: [toEvent(found)] };
};

/** Closes an unpaid order: F ends the deal, and answers with the deal as it is then. */
import { nothingCharged, unknown, type Ability } from '@paywright/contract';
import { isAbout, readDeal } from './deal.ts';
import type { Options } from './options.ts';
import { dealPath, faultOutcome, post, readFault } from './wire.ts';

/** Phases of a deal that can no longer be paid. */
const closed: readonly string[] = ['left', 'lapsed'];

export const close: Ability<'close', Options> = async (payment, { http, options }) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no deal to close');
  const reply = await http.send({ ...post(options, dealPath(id, '/close'), {}), chargesNothing: true });
  if (reply.status === 409 && readFault(reply)?.code === 'not_open') return nothingCharged('the deal is not open');
  if (reply.status !== 200) return faultOutcome(reply);
  const deal = readDeal(reply);
  if (!deal || !isAbout(deal, payment, options)) return unknown('the answer does not show this deal');
  return closed.includes(deal.phase)
    ? { outcome: 'succeeded', providerReference: id }
    : nothingCharged(`the deal is ${deal.phase}`);
};

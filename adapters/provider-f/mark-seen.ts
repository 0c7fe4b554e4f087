/** Notifies F that the fetched state is stored. Until then F repeats its ping. */
import type { Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { dealPath, post, readFault } from './wire.ts';

/** The token is the deal's mark, in digits. */
export const markSeen: Ability<'markSeen', Options> = async ({ providerReference: id }, mark, { http, options }) => {
  if (id === undefined) return 'later';
  const reply = await http.send(post(options, dealPath(id, '/seen'), { mark: Number(mark) }));
  // 404 and 410: there is nothing left to see.
  if ([204, 404, 410].includes(reply.status)) return 'done';
  return reply.status === 409 && readFault(reply)?.code === 'mark_moved' ? 'changed' : 'later';
};

/** POST providerE: results of orders in XML. Nothing is signed: the password authenticates the sender, and with it the content. */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  invalidSignature,
  isBasicOf,
  malformed,
  text,
  type XmlElement,
} from '@gateway/contract';
import type { Options } from '../options.ts';
import { eventsOf, readNotice, readOrders } from '../order.ts';

export const notice = defineRoute<Options, XmlElement>({
  path: 'providerE',
  method: 'POST',
  // One notice may hold many orders.
  maxBodyBytes: 1_048_576,
  caller: 'server',
  reports: 'payments, refunds and chargebacks of XML orders',
  contentTypes: ['text/xml'],

  async verifySignature(raw, { options: { account, noticeUser, noticePasswords } }) {
    if (!isBasicOf(raw, noticeUser, noticePasswords)) return invalidSignature('Authorization');
    const root = await readNotice(raw.body);
    if (!root) return malformed('no XML notice in UTF-8 with an account');
    return root.attributes.get('acct') === account ? genuine(root) : invalidSignature('another account');
  },

  parseCallback({ value }) {
    const orders = readOrders(value);
    return 'fault' in orders ? { malformed: orders.fault } : { events: orders.flatMap(eventsOf) };
  },

  acknowledge: acknowledgeBy({
    accepted: text('[OK]'),
    invalid_signature: text('[NO]', 401, { 'WWW-Authenticate': 'Basic realm="notice"' }),
    malformed: text('[NO]', 500),
    try_later: text('[NO]', 503),
  }),
});

/**
 * Route `POST providerE`: results of orders in XML. Nothing is signed: the password authenticates the sender and
 * therefore the content.
 */
import {
  acknowledgeBy,
  defineRoute,
  genuine,
  invalidSignature,
  isBasicOf,
  malformed,
  text,
  type ReportedEvent,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { namedInNotice, readEvents, readNotice, type Fault } from '../order.ts';

/** The content of a genuine notice, or the reason why it is unreadable. */
type Content = readonly ReportedEvent[] | Fault;

export const notice = defineRoute<Options, Content>({
  path: 'providerE',
  method: 'POST',
  // One notice may hold many orders.
  maxBodyBytes: 1_048_576,
  caller: 'server',
  reports: 'payments, refunds and chargebacks of XML orders',
  contentTypes: ['text/xml'],

  accountHint: ({ body }) => namedInNotice(body),

  async verifySignature(raw, { options: { account, noticeUser, noticePasswords } }) {
    if (!isBasicOf(raw, noticeUser, noticePasswords)) return invalidSignature('Authorization');
    const root = await readNotice(raw.body);
    if (!root) return malformed('the body is not an XML notice in UTF-8 with an account');
    if (root.attributes.get('acct') !== account) return invalidSignature('another account');
    // Read here, because reading may take several turns of the event loop.
    return genuine(await readEvents(root));
  },

  parseCallback: ({ value }) => ('fault' in value ? { malformed: value.fault } : { events: value }),

  acknowledge: acknowledgeBy({
    accepted: text('[OK]'),
    invalid_signature: text('[NO]', 401, { 'WWW-Authenticate': 'Basic realm="notice"' }),
    malformed: text('[NO]', 500),
    try_later: text('[NO]', 503),
  }),
});

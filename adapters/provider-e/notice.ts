/** POST providerE: results of orders in XML. Nothing is signed: the password proves the sender, who vouches for all. */
import {
  acknowledgeBy,
  defineRoute,
  forged,
  genuine,
  malformed,
  text,
  type Parsed,
  type Provider,
  type RawCallback,
  type Verdict,
  type XmlElement,
} from '@gateway/contract';
import { isBasicOf } from './basic.ts';
import type { Options } from './options.ts';
import { eventsOf, readOrders, readRoot } from './order.ts';

function prove(raw: RawCallback, { options }: Provider<Options>): Verdict<XmlElement> {
  const { account, noticeUser, noticePasswords } = options;
  if (!isBasicOf(raw, noticeUser, noticePasswords)) return forged('Authorization');
  const root = readRoot(raw.body, 'notice');
  if (!root) return malformed('no XML notice in UTF-8 with an account');
  return root.attributes.get('acct') === account ? genuine(root) : forged('another account');
}

function read(root: XmlElement): Parsed {
  const orders = readOrders(root);
  return 'fault' in orders ? { malformed: orders.fault } : { events: orders.flatMap(eventsOf) };
}

export const notice = defineRoute<Options, XmlElement>({
  path: 'providerE',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds and chargebacks of XML orders',
  verifySignature: prove,
  parseCallback: ({ value }) => read(value),
  acknowledge: acknowledgeBy({
    accepted: text('[OK]'),
    bad_signature: text('[NO]', 401, { 'WWW-Authenticate': 'Basic realm="notice"' }),
    malformed: text('[NO]', 500),
    try_later: text('[NO]', 503),
  }),
});

/** One message on two ways: D's servers post it, and the payer's browser brings it back by GET. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  forged,
  genuine,
  malformed,
  page,
  payPage,
  readAs,
  readForm,
  readPairs,
  seeOther,
  uniquePairs,
  utf8,
  type Parsed,
  type Proven,
  type Verdict,
} from '@gateway/contract';
import { toEvent } from './event.ts';
import { Message } from './message.ts';
import type { Options } from './options.ts';
import { routePath } from './order.ts';
import { readTriple, tripleNames, type ProvenData } from './signing.ts';

function prove(form: ReadonlyMap<string, string> | undefined, options: Options): Verdict<ProvenData> {
  if (!form) return malformed('no form in UTF-8, or a part of the triple twice');
  // A plus that somebody did not escape has become a space on the way.
  const plain = (name: string): string => (form.get(name) ?? '').replaceAll(' ', '+');
  const data = readTriple({ d_ver: form.get('d_ver') ?? '', d_data: plain('d_data'), d_sig: plain('d_sig') }, options);
  switch (data) {
    case 'data':
      return malformed('d_data names no order');
    case 'version':
    case 'signature missing':
    case 'signature':
    case 'account':
      return forged(data);
    default:
      return genuine(data);
  }
}

/** As `readForm`. Node gives each byte of a query as one character. */
function readQuery(query: string): ReadonlyMap<string, string> | undefined {
  const text = utf8(Buffer.from(query, 'latin1'));
  const pairs = text === undefined ? undefined : readPairs(text);
  return pairs && uniquePairs(pairs, tripleNames);
}

function parse({ value }: Proven<ProvenData>): Parsed {
  const message = readAs(Message, value.members);
  if (!message) return { malformed: 'a member is missing or has another form' };
  return { events: [{ ...toEvent(message), facts: { from: 'callback' } }] };
}

export const serverCallback = defineRoute<Options, ProvenData>({
  path: routePath,
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds, disputes',
  verifySignature: (raw, { options }) => prove(readForm(raw, tripleNames), options),
  parseCallback: parse,
  acknowledge: acknowledgeBy({
    accepted: empty(200),
    bad_signature: empty(403),
    malformed: empty(400),
    try_later: empty(503, { 'Retry-After': '30' }),
  }),
});

const answers = acknowledgeBy({
  accepted: page(404),
  bad_signature: page(403),
  malformed: page(400),
  try_later: page(503),
});

export const browserReturn = defineRoute<Options, ProvenData>({
  path: routePath,
  method: 'GET',
  caller: 'browser',
  reports: "the payer's return from the page",
  verifySignature: ({ query }, { options }) => prove(readQuery(query), options),
  parseCallback: parse,
  acknowledge({ outcome, proven }, { publicUrl }) {
    const answer = answers({ outcome });
    const address = answer.status === 404 && proven ? payPage(publicUrl, proven.value.order) : undefined;
    return address === undefined ? answer : seeOther(address);
  },
});

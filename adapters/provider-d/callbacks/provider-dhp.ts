/** One message by two routes: D's servers post it, and the payer's browser brings it back by GET. */
import {
  acknowledgeBy,
  defineRoute,
  empty,
  genuine,
  invalidSignature,
  malformed,
  page,
  payPage,
  readAs,
  readForm,
  readUniquePairs,
  seeOther,
  utf8,
  type Parsed,
  type Verdict,
  type Verified,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { Message, toEvent } from '../order.ts';
import { namedAccount, readTriple, tripleNames, type VerifiedData } from '../signing.ts';
import { routePath } from '../submit.ts';

function verify(form: ReadonlyMap<string, string> | undefined, options: Options): Verdict<VerifiedData> {
  if (!form) return malformed('not a form in UTF-8, or a part of the triple is repeated');
  const [data64, sig] = [plain(form, 'd_data'), plain(form, 'd_sig')];
  const data = readTriple({ d_ver: form.get('d_ver') ?? '', d_data: data64, d_sig: sig }, options);
  if (typeof data === 'object') return genuine(data);
  return data === 'data' ? malformed('d_data does not name an order') : invalidSignature(data);
}

/** Base64 in a form: a plus that was not escaped has become a space in transit. */
function plain(form: ReadonlyMap<string, string>, name: string): string {
  return (form.get(name) ?? '').replaceAll(' ', '+');
}

/** Reads a query like `readForm`. Node.js gives each byte of a query as one character. */
function readQuery(query: string): ReadonlyMap<string, string> | undefined {
  const text = utf8(Buffer.from(query, 'latin1'));
  return text === undefined ? undefined : readUniquePairs(text, tripleNames);
}

function hintOf(form: ReadonlyMap<string, string> | undefined): string | undefined {
  return form && namedAccount(plain(form, 'd_data'));
}

function parseCallback({ value }: Verified<VerifiedData>): Parsed {
  const message = readAs(Message, value.members);
  return message ? { events: [toEvent(message)] } : { malformed: 'a member is missing or has another form' };
}

export const serverCallback = defineRoute<Options, VerifiedData>({
  path: routePath,
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds, disputes',
  contentTypes: ['application/x-www-form-urlencoded'],
  accountHint: (raw) => hintOf(readForm(raw, tripleNames)),
  verifySignature: (raw, { options }) => verify(readForm(raw, tripleNames), options),
  parseCallback,
  acknowledge: acknowledgeBy({
    accepted: empty(200),
    invalid_signature: empty(403),
    malformed: empty(400),
    try_later: empty(503, { 'Retry-After': '30' }),
  }),
});

const pages = acknowledgeBy({
  accepted: page(404),
  invalid_signature: page(403),
  malformed: page(400),
  try_later: page(503),
});

export const browserReturn = defineRoute<Options, VerifiedData>({
  path: routePath,
  method: 'GET',
  caller: 'browser',
  reports: "the payer's return from the page",
  queryParameters: ['d_ver', 'd_data', 'd_sig'],
  accountHint: ({ query }) => hintOf(readQuery(query)),
  verifySignature: ({ query }, { options }) => verify(readQuery(query), options),
  parseCallback,
  acknowledge({ outcome, verified }, { publicUrl }) {
    const answer = pages({ outcome });
    const address = answer.status === 404 && verified ? payPage(publicUrl, verified.value.order) : undefined;
    return address === undefined ? answer : seeOther(address);
  },
});

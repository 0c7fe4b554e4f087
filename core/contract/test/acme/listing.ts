/** Acme as a provider whose status lists no refunds, so that a fetch asks for them too. */
import {
  fromMinor,
  jsonDigits,
  noInformation,
  readAs,
  readJson,
  statusTable,
  utf8,
  v,
  type Ability,
  type ProviderAdapter,
  type ReportedEvent,
} from '../../index.ts';
import { createAcme, states, toEvent } from './adapter.ts';
import type { Broken } from './broken.ts';
import { Notice, type Options } from './protocol.ts';
import { createVectors } from './vectors.ts';

const Back = v.looseObject({
  id: v.string(),
  charge: v.string(),
  state: v.string(),
  minor: jsonDigits(15),
  cur: v.string(),
});
type Back = v.InferOutput<typeof Back>;
const Backs = v.looseObject({ backs: v.array(Back) });
type Fetch = Ability<'fetchStatus', Options>;

const fetchWith =
  (isOurs: (back: Back, charge: string) => boolean): Fetch =>
  async ({ reference }, { http, options }) => {
    const headers = { 'X-Key': options.apiKey };
    const ask = async (path: string) => readJson(utf8((await http.send({ method: 'GET', path, headers })).body));
    const notice = readAs(Notice, await ask(`/charges/${reference}`));
    if (!notice) return noInformation('unreadable');
    const list = readAs(Backs, await ask(`/charges/${reference}/backs`));
    if (!list) return noInformation('unreadable');
    const refunds = list.backs
      .filter((back) => isOurs(back, notice.id))
      .map(({ id, state, minor, cur }): ReportedEvent => {
        const about = { reference: notice.ref, providerReference: notice.id, subReference: id };
        const money = { amount: fromMinor(minor, cur), currency: cur };
        return { kind: 'refund', providerStatus: state, ...about, ...money, dedupeKey: `${id}:${state}` };
      });
    return { result: 'events', events: [toEvent(notice), ...refunds] };
  };

export function createListingAcme(
  fetchStatus: Fetch = fetchWith(({ charge }, id) => charge === id),
): ProviderAdapter<Options> {
  return createAcme({
    adapter: { fetchStatus, mapStatus: statusTable({ payment: states, refund: { back: 'succeeded' } }) },
  });
}

const plain = createVectors();
const backs = '{"backs":[{"id":"ab_1","charge":"ac_1","state":"back","minor":1000,"cur":"EUR"}]}';

export const listingVectors = {
  ...plain,
  submissions: plain.submissions.map((vector) => {
    if (!('call' in vector) || vector.call !== 'fetchStatus' || !('reply' in vector)) return vector;
    const { request, reply, expect, ...rest } = vector;
    const list = {
      request: { ...request, path: `${request.path}/backs` },
      reply: { ...reply, body: backs },
    };
    const events = [
      { kind: 'payment', word: 'paid', amount: '25.90' },
      { kind: 'refund', word: 'back', amount: '10.00' },
    ];
    return { ...rest, exchanges: [{ request, reply }, list], expect: { ...expect, events } };
  }),
};

const plainFetch: Fetch = (payment, ctx) => createAcme().fetchStatus!(payment, ctx);

const naming = (event: ReportedEvent): ReportedEvent => ({ ...event, mode: 'live' });

/** Faults of one answer of a fetch, and samples that compare no `mode`. */
export const brokenLists: readonly Broken[] = [
  {
    fault: 'believes a list of refunds of another payment',
    rule: 'fetchStatus',
    says: 'after "status: paid", at request 2, an answer about another payment was believed',
    adapter: createListingAcme(fetchWith(() => true)),
    kit: { vectors: listingVectors },
  },
  {
    fault: 'names the side of a callback, which no sample compares',
    rule: 'money',
    says: 'events of POST acme name a `mode`, and no vector compares it',
    adapter: createAcme({ route: { parseCallback: ({ value }) => ({ events: [naming(toEvent(value))] }) } }),
  },
  {
    fault: 'names the side of a fetch, which no sample compares',
    rule: 'money',
    says: 'events of fetchStatus name a `mode`, and no vector compares it',
    adapter: createAcme({
      adapter: {
        async fetchStatus(payment, ctx) {
          const report = await plainFetch(payment, ctx);
          return report.result === 'events' ? { ...report, events: report.events.map(naming) } : report;
        },
      },
    }),
  },
  ...([400, 404] as const).map((refused): Broken => {
    const fetchStatus: Fetch = async (payment, ctx) => {
      let isRefused = false;
      const send: typeof ctx.http.send = async (request) => {
        const reply = await ctx.http.send(request);
        isRefused ||= reply.status === refused;
        return reply;
      };
      const report = await plainFetch(payment, { ...ctx, http: { send } });
      return isRefused ? { result: 'nothing_charged' } : report;
    };
    return {
      fault: `treats each ${refused} as a payment that does not exist`,
      rule: 'fetchStatus',
      says: `a ${refused} with an unknown error code was treated as nothing charged`,
      adapter: createAcme({ adapter: { fetchStatus } }),
    };
  }),
];

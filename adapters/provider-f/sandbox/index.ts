/** Simulates Provider F: deals, the wallet's page, returns, and pings until a change was seen. */
import { addDecimals, compareDecimals, onlyHeader, writeForm, type CreateSandbox } from '@paywright/contract';
import {
  amountRule,
  choicePage,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  noAnswer,
  redirectReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { behaviourOf, choices, type Behaviour } from './behaviour.ts';
import { change, createDeals, leftOf, openDeal, presentDeal, type Change, type Deal } from './deals.ts';
import { createPings } from './pings.ts';
import {
  badField,
  DealRequest,
  fault,
  noDeal,
  notOffered,
  readPost,
  refuseCaller,
  refuseMoney,
  ReturnRequest,
  SeenRequest,
} from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';

const trouble = { error: fault(500, 'internal'), tooMany: fault(429, 'slow_down') };
const repeated = { busy: fault(409, 'in_progress', true), differs: fault(409, 'key_reused', true) };
const gone = messagePage(404, 'No such deal');

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status }) => status >= 200 && status < 300,
    // An acknowledged ping is repeated too: each ping is a separate message.
    repeatAfter: [],
    onDelivery: setup.onDelivery,
  });
  const pings = createPings(setup, deliveries);
  const deals = createDeals();
  const repetitions = createRepetitions();
  const isFirst = createOnce();

  const present = (deal: Deal) => presentDeal(deal, options.shopId, baseUrl);
  const answer = (deal: Deal, status: number): Reply => jsonReply(status, { deal: present(deal) });

  function happen(deal: Deal, news: Change, rule = deal.rule): void {
    change(deal, news);
    void pings.notify(deal, rule);
  }

  /** Delay from now, in sandbox delays. */
  function later(after: number, happens: () => void): void {
    const request = (): undefined => {
      happens();
      return undefined;
    };
    void deliveries.play([{ name: 'a change', after, request }]);
  }

  /** Starts the automatic changes of a new deal. */
  async function start(deal: Deal, { phase, later: next, follows }: Behaviour): Promise<void> {
    const gross = deal.gross.amount;
    if (next) later(1, () => (deal.phase === phase ? happen(deal, next) : undefined));
    if (follows === 'returned') later(2, () => happen(deal, { returned: gross, asked: gross }));
    if (follows === 'claimed') {
      later(2, () => happen(deal, { claim: 'open', clawed: gross }));
      later(3, () => happen(deal, { claim: 'lost' }));
    }
    if (phase !== 'open') await pings.notify(deal, deal.rule, true);
  }

  async function submit(request: SandboxRequest): Promise<Reply> {
    const call = readPost(request, options, DealRequest);
    if ('refused' in call) return call.refused;
    const {
      shop,
      ref,
      gross: { v: amount, c: currency },
      payer,
      backUrl,
    } = call.asked;
    const key = onlyHeader(request, 'Idempotency-Key');
    if (shop !== options.shopId || key !== ref) return badField;
    const refused = refuseMoney(call.asked.gross);
    if (refused) return refused;
    const rule = amountRule({ amount, currency });
    return repetitions.answer(
      `deal ${ref}`,
      request.body,
      async () => {
        const refusedFirst = troubleBefore(rule, () => isFirst(ref), trouble);
        if (refusedFirst) return refusedFirst;
        const behaviour = behaviourOf(payer.email ?? '', rule);
        const deal = openDeal({ ...behaviour, ref, gross: { amount, currency }, rule, backUrl });
        deals.keep(deal);
        await start(deal, behaviour);
        return behaviour.isSilent ? noAnswer : faulty(answer(deal, 201), rule);
      },
      {
        ...repeated,
        again() {
          const deal = deals.byRef(ref);
          return deal ? answer(deal, 200) : noDeal;
        },
        keep: ({ status, fault: cutOrClosed }) => status === 201 || cutOrClosed !== undefined,
      },
    );
  }

  function byId(request: SandboxRequest, id: string): Reply {
    const deal = deals.byId(id);
    return refuseCaller(request, options) ?? (deal ? answer(deal, 200) : noDeal);
  }

  function byRef(request: SandboxRequest): Reply {
    const ref = request.queryForm()?.get('ref');
    const deal = deals.byRef(ref ?? '');
    return refuseCaller(request, options) ?? (ref ? jsonReply(200, { deals: deal ? [present(deal)] : [] }) : badField);
  }

  async function giveBack(request: SandboxRequest, id: string): Promise<Reply> {
    const call = readPost(request, options, ReturnRequest);
    if ('refused' in call) return call.refused;
    const { v: amount, c: currency } = call.asked;
    const key = onlyHeader(request, 'Idempotency-Key') ?? '';
    const deal = deals.byId(id);
    if (!deal) return noDeal;
    if (key === '' || currency !== deal.gross.currency) return badField;
    const refused = refuseMoney(call.asked);
    if (refused) return refused;
    return repetitions.answer(
      `return ${key}`,
      `${id} ${amount}`,
      () => {
        if (compareDecimals(amount, leftOf(deal)) > 0) return notOffered;
        deal.asked = addDecimals(deal.asked, amount);
        const rule = deal.rule ?? amountRule({ amount, currency });
        later(1, () => happen(deal, { returned: addDecimals(deal.returned, amount) }, rule));
        return answer(deal, 202);
      },
      { ...repeated, again: () => answer(deal, 202), keep: ({ status }) => status === 202 },
    );
  }

  function end(request: SandboxRequest, id: string): Reply {
    const refused = refuseCaller(request, options);
    if (refused) return refused;
    const deal = deals.byId(id);
    if (!deal) return noDeal;
    if (deal.phase === 'open') happen(deal, choices['leave']!);
    // A deal that ended unpaid before is answered again.
    return deal.phase === 'left' || deal.phase === 'lapsed' ? answer(deal, 200) : fault(409, 'not_open', true);
  }

  function see(request: SandboxRequest, id: string): Reply {
    const call = readPost(request, options, SeenRequest);
    if ('refused' in call) return call.refused;
    const deal = deals.byId(id);
    if (!deal) return noDeal;
    if (call.asked.mark > deal.mark || call.asked.mark < 1) return badField;
    if (call.asked.mark < deal.mark) return fault(409, 'mark_moved', true);
    deal.seen = deal.mark;
    return { status: 204 };
  }

  function wallet(request: SandboxRequest, id: string): Reply {
    const deal = deals.byId(id);
    if (!deal) return gone;
    const { gross, ref, backUrl } = deal;
    const choice = request.method === 'POST' ? (request.form()?.get('choice') ?? '') : '';
    if (request.method === 'POST' && (deal.phase !== 'open' || Object.hasOwn(choices, choice))) {
      if (deal.phase === 'open') happen(deal, choices[choice]!);
      return redirectReply(`${backUrl}${backUrl.includes('?') ? '&' : '?'}${writeForm({ f_id: id, ref })}`);
    }
    return choicePage({
      title: 'Wallet',
      action: new URL(`${baseUrl}/wallet/${id}`).pathname,
      name: 'choice',
      values: Object.keys(choices),
      summary: { money: gross, shop: options.shopId, reference: ref },
    });
  }

  const handle = createRouter(
    {
      'POST /v1/deals': submit,
      'GET /v1/deals': byRef,
      'GET /v1/deals/:id': byId,
      'POST /v1/deals/:id/returns': giveBack,
      'POST /v1/deals/:id/seen': see,
      'POST /v1/deals/:id/close': end,
      'GET /wallet/:id': wallet,
      'POST /wallet/:id': wallet,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, deals, pings) };
};

createSandbox.testValues = [
  { member: 'email', value: 'instant', result: 'paid' },
  { member: 'email', value: 'refused-05', result: 'declined 05' },
  { member: 'email', value: 'refused-51', result: 'declined 51' },
  { member: 'email', value: 'refused-54', result: 'declined 54' },
  { member: 'email', value: 'refused-57', result: 'declined 57' },
  { member: 'email', value: 'refused-61', result: 'declined 61' },
  { member: 'email', value: 'slow', result: 'pending, then paid' },
  { member: 'email', value: 'slow-fail', result: 'pending, then declined' },
  { member: 'email', value: 'held', result: 'pending: held, then paid' },
  { member: 'email', value: 'never', result: 'pending forever' },
  { member: 'email', value: 'lapse', result: 'page: expires after the sandbox delay' },
  { member: 'email', value: 'silent', result: 'pending: charged, but the answer never arrives; then paid' },
  { member: 'email', value: 'returns', result: 'paid, refunded in full later' },
  { member: 'email', value: 'claims', result: 'paid, charged back later, and the dispute is lost' },
  { member: 'page', value: 'pass', result: 'paid' },
  { member: 'page', value: 'fail', result: 'declined' },
  { member: 'page', value: 'leave', result: 'cancelled by the payer' },
];

export default createSandbox;

/** The simulated side of New Provider: payments, their status, refunds, and messages about them. */
// for: card token upi
import type { CreateSandbox } from '@paywright/contract';
// end
// for: billing
//: import { moneyFromMinor, type CreateSandbox } from '@paywright/contract';
// end
import {
  BoundedMap,
  // for: billing
  //: choicePage,
  // end
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  jsonReply,
  // for: billing
  //: messagePage,
  //: redirectReply,
  // end
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
// for: card token
import { answerPage, issuerPage } from './challenge.ts';
// end
import { createNotify } from './messages.ts';
import { openOrder, presentOrder, ruleOf, scenarioFor, type Order } from './orders.ts';
// for: card token
import { AskedCompletion, AskedPayment, AskedRefund, errorReply, isKnown, readPost } from './requests.ts';
// end
// for: billing upi
//: import { AskedPayment, AskedRefund, errorReply, isKnown, readPost } from './requests.ts';
// end
import { createTrigger, events } from './trigger.ts';
import { decide, undecided } from '../undecided.ts';

export { signCallback } from './messages.ts';

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const notify = createNotify(options);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status }) => status === 200,
    repeatAfter: decide(undecided.sandbox, [1, 1, 1, 1]),
    onDelivery: setup.onDelivery,
  });
  const orders = new BoundedMap<string, Order>();
  const byId = new BoundedMap<string, Order>();
  // for: card token
  const byChallenge = new BoundedMap<string, Order>();
  // end
  const repetitions = createRepetitions();
  const isFirst = createOnce();
  const reported = {
    busy: errorReply(409, 'in_work', true),
    differs: errorReply(409, 'other_values', true),
    keep: ({ status }: Reply): boolean => status === 200,
  };
  const trouble = { error: errorReply(500, 'internal', false), tooMany: errorReply(429, 'slow_down', false) };
  // for: card token upi
  const answer = (order: Order): Reply => jsonReply(200, presentOrder(order));
  // end
  // for: billing
  //: const payUrl = ({ id }: Order): string => `${baseUrl}/pay/${id}`;
  //: const answer = (order: Order): Reply => jsonReply(200, { ...presentOrder(order), payUrl: payUrl(order) });
  // end

  async function pay(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, options, AskedPayment);
    if ('refused' in asked) return asked.refused;
    const { body, key, values } = asked;
    return repetitions.answer(
      key,
      values,
      async () => {
        const refused = troubleBefore(ruleOf(body), () => isFirst(key), trouble);
        if (refused) return refused;
        // for: card token
        const order = openOrder(body, baseUrl);
        if (order.challenge) byChallenge.set(order.challenge.id, order);
        // end
        // for: billing upi
        //: const order = openOrder(body);
        // end
        orders.set(order.reference, order);
        byId.set(order.id, order);
        // for: card token upi
        const scenario = scenarioFor(order, notify);
        // end
        const reply = answer(order);
        // for: card token upi
        await deliveries.play(scenario, order.rule);
        // end
        return faulty(reply, order.rule, order.behaviour);
      },
      reported,
    );
  }

  // for: card token
  /** Ends the payment after the payer was at the bank. A repetition is answered with the current status. */
  async function complete(request: SandboxRequest, id: string): Promise<Reply> {
    const asked = readPost(request, options, AskedCompletion);
    if ('refused' in asked) return asked.refused;
    const order = byId.get(id);
    if (!order) return errorReply(404, 'unknown_payment', false);
    if (order.status !== 'challenge' || !order.challenge?.pressed) return answer(order);
    const scenario = scenarioFor(order, notify);
    const reply = answer(order);
    await deliveries.play(scenario, order.rule);
    return reply;
  }

  // end
  function status(request: SandboxRequest, reference: string): Reply {
    if (!isKnown(request, options)) return errorReply(401, 'bad_key', false);
    const order = orders.get(reference);
    return order ? answer(order) : errorReply(404, 'unknown_reference', false);
  }

  async function refund(request: SandboxRequest, id: string): Promise<Reply> {
    const asked = readPost(request, options, AskedRefund);
    if ('refused' in asked) return asked.refused;
    const { body, key, values } = asked;
    const order = byId.get(id);
    if (!order) return errorReply(404, 'unknown_payment', false);
    return repetitions.answer(
      key,
      values,
      async () => {
        const { reference, amount } = body;
        const said = { id: `refund-${reference}`, reference, amount, currency: order.currency };
        const isLeft = order.status === 'paid' && order.refunded + BigInt(amount.text) <= BigInt(order.amount);
        if (!isLeft) return jsonReply(200, { ...said, status: 'declined' });
        order.refunded += BigInt(amount.text);
        const done = { kind: 'refund', status: 'done', about: said.id, amount: amount.text } as const;
        await deliveries.play([notify(order, done, 1)]);
        return jsonReply(200, { ...said, status: 'queued' });
      },
      reported,
    );
  }
  // for: billing
  //:
  //: async function page(request: SandboxRequest, id: string): Promise<Reply> {
  //:   const order = byId.get(id);
  //:   if (!order) return messagePage(404, 'No such payment');
  //:   const choice = request.form()?.get('choice');
  //:   if (request.method === 'POST' && (choice === 'pay' || choice === 'refuse')) {
  //:     if (choice === 'refuse') order.behaviour = { kind: 'declined' };
  //:     if (order.status === 'waiting') await deliveries.play(scenarioFor(order, notify), order.rule);
  //:     return redirectReply(order.returnUrl);
  //:   }
  //:   const { amount, currency, reference } = order;
  //:   return choicePage({
  //:     title: 'New Provider',
  //:     action: `/pay/${id}`,
  //:     name: 'choice',
  //:     values: ['pay', 'refuse'],
  //:     summary: { money: moneyFromMinor(amount, currency), shop: options.account, reference },
  //:   });
  //: }
  // end

  const handle = createRouter(
    {
      'POST /v1/payments': pay,
      'GET /v1/payments/:reference': status,
      'POST /v1/payments/:id/refunds': refund,
      // for: card token
      'POST /v1/payments/:id/complete': complete,
      'POST /acs/:id': (request, id) => issuerPage(request, byChallenge.get(id)?.challenge),
      'POST /acs/:id/answer': (request, id) => answerPage(request, byChallenge.get(id)?.challenge),
      // end
      // for: billing
      //: 'GET /pay/:id': page,
      //: 'POST /pay/:id': page,
      // end
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, trigger: createTrigger(setup, notify) };
};

export default createSandbox;

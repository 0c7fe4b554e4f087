/** Simulates provider A: charges, 3D Secure pages, status, refunds and all callbacks. */
import { moneyFromMinor, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  newId,
  redirectReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { createCallbacks, toJson } from './callbacks.ts';
import { decide, openCharge, presentCharge, presentStatus, refundMessages, ruleOf, type Charge } from './charges.ts';
import {
  ChargeRequest,
  CompleteRequest,
  errorReply,
  invalid,
  noSuch,
  readPost,
  RefundRequest,
  refuseReader,
} from './requests.ts';
import { backTo } from './return.ts';
import { createTrigger, events, causes } from './trigger.ts';

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const callbacks = createCallbacks(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: () => false, // Each message has the acknowledgement of its route.
    repeatAfter: [1, 1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const byRef = new BoundedMap<string, Charge>();
  const byTxn = new BoundedMap<string, Charge>();
  const repetitions = createRepetitions();
  const isFirst = createOnce();

  const reported = {
    again: (stored: Reply): Reply => ({ ...stored, headers: { ...stored.headers, 'X-A-Replayed': 'true' } }),
    busy: errorReply(409, 'IN_PROGRESS', 'still being answered'),
    differs: errorReply(409, 'REF_REUSED', 'same key, other values'),
    keep: ({ status }: Reply): boolean => status === 200,
  };
  const trouble = {
    error: errorReply(500, 'INTERNAL', 'try again', { charged: 'no' }),
    tooMany: errorReply(429, 'SLOW_DOWN', 'slow down'),
  };

  const stepUpUrl = ({ txn }: Charge): string => `${baseUrl}/v1/challenge/${txn}`;
  const answer = (charge: Charge): Reply => jsonReply(200, presentCharge(charge, stepUpUrl(charge)));

  /** Decides the charge, starts its callbacks and returns the answer as it was before the first callback. */
  async function settle(charge: Charge): Promise<Reply> {
    const scenario = decide(charge, callbacks);
    const reply = answer(charge);
    await deliveries.play(scenario, charge.rule);
    return reply;
  }

  async function charge(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, options, ChargeRequest);
    if ('refused' in asked) return asked.refused;
    const { body, key, values } = asked;
    return repetitions.answer(
      `charge ${key}`,
      values,
      async () => {
        const refused = troubleBefore(ruleOf(body.sum), () => isFirst(key), trouble);
        if (refused) return refused;
        if (byRef.has(body.ref)) return reported.differs;
        const opened = openCharge(body);
        byRef.set(opened.ref, opened);
        byTxn.set(opened.txn, opened);
        return opened.state === 'STEP_UP'
          ? faulty(answer(opened), opened.rule)
          : faulty(await settle(opened), opened.rule, opened.card);
      },
      reported,
    );
  }

  async function complete(request: SandboxRequest, txn: string): Promise<Reply> {
    const asked = readPost(request, options, CompleteRequest);
    if ('refused' in asked) return asked.refused;
    const found = byTxn.get(txn);
    if (!found) return noSuch;
    if (found.ref !== asked.body.ref) return invalid('ref');
    if (!found.challenged) return answer(found);
    if (!found.pressed) return errorReply(409, 'STEP_UP_OPEN', 'challenge not finished');
    const once = async (): Promise<Reply> => faulty(await settle(found), undefined, found.card);
    return repetitions.answer(`complete ${txn}`, '', once, reported);
  }

  function status(request: SandboxRequest, ref: string): Reply {
    const found = byRef.get(ref);
    return refuseReader(request, options) ?? (found ? jsonReply(200, presentStatus(found, stepUpUrl(found))) : noSuch);
  }

  async function refund(request: SandboxRequest, txn: string): Promise<Reply> {
    const asked = readPost(request, options, RefundRequest);
    if ('refused' in asked) return asked.refused;
    const { body, key, values } = asked;
    const found = byTxn.get(txn);
    if (!found) return noSuch;
    if (found.ref !== body.ref) return invalid('ref');
    if (found.sum.cur !== body.sum.cur) return invalid('sum.cur');
    return repetitions.answer(
      `refund ${key}`,
      values,
      async () => {
        if (found.state !== 'OK') return errorReply(409, 'NOT_CAPTURED', 'not captured');
        const minor = BigInt(body.sum.minor);
        if (found.asked + minor > BigInt(found.sum.minor)) return errorReply(422, 'OVER_REFUND', 'more than is left');
        found.asked += minor;
        const { refundRef, sum } = body;
        const id = newId('AR-', 8);
        await deliveries.play(refundMessages(found, { id, refundRef, sum }, callbacks, 1), ruleOf(sum));
        return jsonReply(200, { refund: { id, txn, refundRef, state: 'queued', sum: toJson(sum) } });
      },
      reported,
    );
  }

  function challenge(request: SandboxRequest, txn: string): Reply {
    const found = byTxn.get(txn);
    if (!found?.challenged) return messagePage(404, 'No such challenge');
    const result = request.form()?.get('result');
    if (request.method === 'POST' && (result === 'pass' || result === 'fail')) {
      found.pressed ??= result;
      return redirectReply(backTo(found, found.pressed === 'pass' ? 'Y' : 'N', options.returnKeys[0]!));
    }
    return choicePage({
      title: '3D Secure',
      text: 'Approve this payment?',
      action: new URL(stepUpUrl(found)).pathname,
      name: 'result',
      values: ['pass', 'fail'],
      summary: {
        money: moneyFromMinor(found.sum.minor, found.sum.cur),
        shop: options.account,
        reference: found.ref,
      },
    });
  }

  const handle = createRouter(
    {
      'POST /v1/charges': charge,
      'POST /v1/charges/:txn/complete': complete,
      'GET /v1/charges/by-ref/:ref': status,
      'POST /v1/charges/:txn/refunds': refund,
      'GET /v1/challenge/:txn': challenge,
      'POST /v1/challenge/:txn': challenge,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, byRef, callbacks) };
};

export default createSandbox;

/** Simulates Provider G: charges, 3D Secure, status, refunds, keys, and all callbacks. */
import { isActiveCurrency, JsonNumber, readAs, readJsonObject, v, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  isCardNumber,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { answerPage, challengePage, cresOf } from './challenge.ts';
import { cardOf, decide, openCharge, presentCharge, refundMessage, ruleOf, type Charge } from './charges.ts';
import { badRequest, ChargeRequest, CompleteRequest, readPost, RefundRequest } from './requests.ts';
import { createMessages, errorReply, presentReported } from './messages.ts';
import { createTrigger, events, causes } from './trigger.ts';

export { signAnswer, signCallback } from './signers.ts';

const trouble = { error: errorReply(500, 'INTERNAL'), tooMany: errorReply(429, 'SLOW_DOWN') };
const noCharge = errorReply(404, 'NO_CHARGE');
const notAllowed = errorReply(422, 'NOT_ALLOWED');
const refReused = errorReply(409, 'REF_REUSED', true);

const Success = v.object({ code: v.literal('SUCCESS') });

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const messages = createMessages(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status, body }) => status === 200 && readAs(Success, readJsonObject(body)) !== undefined,
    repeatAfter: [1, 2, 4, 8],
    minRepeatMs: 50,
    onDelivery: setup.onDelivery,
  });
  const byRef = new BoundedMap<string, Charge>();
  const byTxn = new BoundedMap<string, Charge>();
  const byChallenge = new BoundedMap<string, Charge>();
  const refunds = new BoundedMap<
    string,
    { readonly values: string; readonly said: Readonly<Record<string, unknown>> }
  >();
  const isFirst = createOnce();

  const answer = (charge: Charge): Reply => messages.answer(charge.gw_ref, presentCharge(charge));

  /** Decides the charge, starts its reports, and returns the answer in the state before any report. */
  async function settle(charge: Charge): Promise<Reply> {
    const scenario = decide(charge, messages);
    charge.decided = presentCharge(charge);
    const reply = answer(charge);
    await deliveries.play(scenario, charge.rule);
    return reply;
  }

  async function charge(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, options, messages, ChargeRequest);
    if ('refused' in asked) return asked.refused;
    const { ref, said } = asked;
    if (said.gw_ref !== ref) return badRequest;
    const known = byRef.get(ref);
    if (known) {
      const isSame = known.minor === said.minor && known.cur === said.cur && known.card === cardOf(said);
      return isSame ? answer(known) : refReused;
    }
    if (!isCardNumber(said.card.pan) || !isActiveCurrency(said.cur)) return notAllowed;
    const refused = troubleBefore(ruleOf(said.minor, said.cur), () => isFirst(ref), trouble);
    if (refused) return refused;

    const opened = openCharge(said, baseUrl, options.merchantId);
    byRef.set(ref, opened);
    byTxn.set(opened.g_txn, opened);
    if (opened.challenge) byChallenge.set(opened.challenge.id, opened);
    const reply = opened.challenge ? answer(opened) : await settle(opened);
    return faulty(reply, opened.rule, opened.behaviour);
  }

  async function complete(request: SandboxRequest, txn: string): Promise<Reply> {
    const asked = readPost(request, options, messages, CompleteRequest);
    if ('refused' in asked) return asked.refused;
    const { ref, said } = asked;
    const found = byTxn.get(txn);
    if (!found) return noCharge;
    if (said.g_txn !== txn || said.gw_ref !== found.gw_ref || ref !== found.gw_ref) return badRequest;
    if (found.decided) return messages.answer(ref, found.decided); // The first answer is final.
    const issued = found.challenge && cresOf(found.challenge);
    if (!issued) return errorReply(422, 'NOT_READY', true);
    return said.cres === issued ? settle(found) : errorReply(422, 'BAD_CRES', true);
  }

  function status(request: SandboxRequest): Reply {
    const refused = messages.refuse(request);
    if (refused) return refused;
    const found = byRef.get(request.queryForm()?.get('ref') ?? '');
    if (!found) return noCharge;
    return messages.answer(found.gw_ref, { ...presentCharge(found), events: found.events.map(presentReported) });
  }

  async function refund(request: SandboxRequest, txn: string): Promise<Reply> {
    const asked = readPost(request, options, messages, RefundRequest);
    if ('refused' in asked) return asked.refused;
    const { ref, said } = asked;
    const found = byTxn.get(txn);
    if (!found) return noCharge;
    if (said.g_txn !== txn || said.gw_ref !== found.gw_ref) return badRequest;
    const { minor, cur } = said;
    const values = JSON.stringify([txn, minor, cur]);
    const known = refunds.get(ref);
    if (known) return known.values === values ? messages.answer(ref, known.said) : refReused;
    const isLeft = found.asked + BigInt(minor) <= BigInt(found.minor);
    if (found.status !== 'PAID' || cur !== found.cur || !isLeft) return notAllowed;

    found.asked += BigInt(minor);
    const { g_txn, gw_ref } = found;
    const answered = { g_txn, gw_ref, status: 'REFUND_WAIT', minor: new JsonNumber(minor), cur, why: null };
    refunds.set(ref, { values, said: answered });
    await deliveries.play([refundMessage(found, minor, 1, messages)], ruleOf(minor, cur));
    return messages.answer(ref, answered);
  }

  const handle = createRouter(
    {
      'POST /v1/charges': charge,
      'GET /v1/charges': status,
      'POST /v1/charges/:txn/complete': complete,
      'POST /v1/charges/:txn/refunds': refund,
      'GET /v1/keys/:serial': (request, serial) =>
        messages.refuse(request) ?? messages.key(serial) ?? errorReply(404, 'NO_KEY'),
      'GET /acs/:id': (request, id) => challengePage(request, byChallenge.get(id)?.challenge ?? undefined),
      'POST /acs/:id': (request, id) => challengePage(request, byChallenge.get(id)?.challenge ?? undefined),
      'POST /acs/:id/answer': (request, id) => answerPage(request, byChallenge.get(id)?.challenge ?? undefined),
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(byRef, messages) };
};

createSandbox.testValues = [
  { member: 'page', value: 'pass', result: 'paid, after a challenge' },
  { member: 'page', value: 'fail', result: 'declined' },
];

export default createSandbox;

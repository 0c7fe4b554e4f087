/** Simulates the token vault: charges, 3D Secure pages, status, refunds and all callbacks. */
import { JsonNumber, moneyFromMinor, onlyHeader, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  createDeliveries,
  createOnce,
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
import { endOf, openCharge, presentReply, ruleOf, type Charge } from './charges.ts';
import { createHooks } from './hooks.ts';
import {
  ChargeRequest,
  errorReply,
  invalid,
  notFound,
  readPost,
  RefundRequest,
  refuseCaller,
  ResumeRequest,
} from './requests.ts';
import { chargeScenario, newRefund, refundScenario, tokenMessage, type Refund } from './scenarios.ts';
import { blockedState, createCards } from './tokens.ts';
import { createTrigger, events, causes } from './trigger.ts';

const trouble = {
  error: errorReply(500, 'unavailable', { charged: false }),
  tooMany: errorReply(429, 'throttled'),
};
const keyReused = errorReply(409, 'key_reused');
const tooMuch = errorReply(422, 'too_much');

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const hooks = createHooks(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: () => false, // Each message has its own acknowledgement, signed over its id and time.
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const cardOf = createCards();
  const byId = new BoundedMap<string, Charge>();
  const byRef = new BoundedMap<string, Charge>();
  const byKey = new BoundedMap<string, { readonly values: string; readonly charge: Charge }>();
  const refundsByKey = new BoundedMap<string, { readonly values: string; readonly refund: Refund }>();
  const isFirst = createOnce();

  const challengeUrl = ({ id }: Charge): string => `${baseUrl}/challenge/${id}`;
  const present = (charge: Charge) => presentReply(charge, options.merchantId, challengeUrl(charge));
  const answer = (charge: Charge, status: number): Reply =>
    jsonReply(charge.state === 'failed' ? 402 : status, present(charge));

  async function charge(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, options, ChargeRequest);
    if ('refused' in asked) return asked.refused;
    const key = onlyHeader(request, 'Idempotency-Key') ?? '';
    if (key === '') return invalid('Idempotency-Key');
    const values = JSON.stringify([asked.token, asked.minor, asked.cur]);
    const known = byKey.get(key);
    if (known) return known.values === values ? jsonReply(200, present(known.charge)) : keyReused;
    const rule = ruleOf(asked.minor, asked.cur);
    const refused = troubleBefore(rule, () => isFirst(key), trouble);
    if (refused) return refused;
    const blocked = blockedState(asked.token);
    if (blocked) {
      await deliveries.play([tokenMessage(cardOf(asked.token), blocked, hooks, 1)], rule);
      return errorReply(422, `token_${blocked}`);
    }
    if (!asked.token.startsWith('tok_')) return errorReply(422, 'token_unknown');
    if (byRef.has(asked.ref)) return keyReused;

    const opened = openCharge(asked, cardOf(asked.token));
    byId.set(opened.id, opened);
    byRef.set(opened.ref, opened);
    byKey.set(key, { values, charge: opened });
    // The reply as it was before the first report.
    const reply = answer(opened, 201);
    if (opened.state !== 'challenge') await deliveries.play(chargeScenario(opened, hooks), rule);
    return opened.behaviour.silent ? noAnswer : faulty(reply, rule);
  }

  function resume(request: SandboxRequest, id: string): Reply {
    const asked = readPost(request, options, ResumeRequest);
    if ('refused' in asked) return asked.refused;
    const found = byId.get(id);
    if (!found) return notFound;
    // The page has started the reports. Here the charge only ends before them.
    if (found.pressed && found.state === 'challenge') Object.assign(found, endOf(found));
    return answer(found, 200);
  }

  function statusById(request: SandboxRequest, id: string): Reply {
    const found = byId.get(id);
    return refuseCaller(request, options) ?? (found ? jsonReply(200, present(found)) : notFound);
  }

  function statusByRef(request: SandboxRequest): Reply {
    const refused = refuseCaller(request, options);
    if (refused) return refused;
    const ref = request.queryForm()?.get('ref');
    if (!ref) return invalid('ref');
    const found = byRef.get(ref);
    return jsonReply(200, { charges: found ? [present(found)] : [] });
  }

  async function refund(request: SandboxRequest, id: string): Promise<Reply> {
    const asked = readPost(request, options, RefundRequest);
    if ('refused' in asked) return asked.refused;
    const { minor, cur } = asked;
    const key = onlyHeader(request, 'Idempotency-Key') ?? '';
    if (key === '') return invalid('Idempotency-Key');
    const values = JSON.stringify([id, minor, cur]);
    const show = ({ id: refundId, state }: Refund, status: number): Reply =>
      jsonReply(status, { refund: { id: refundId, charge: id, state, minor: new JsonNumber(minor), cur } });
    const known = refundsByKey.get(key);
    if (known) return known.values === values ? show(known.refund, 200) : keyReused;
    const found = byId.get(id);
    if (!found) return notFound;
    if (found.cur !== cur) return invalid('cur');
    if (found.state !== 'succeeded' || found.asked + BigInt(minor) > BigInt(found.minor)) return tooMuch;

    found.asked += BigInt(minor);
    const made = newRefund(minor);
    refundsByKey.set(key, { values, refund: made });
    const reply = show(made, 202);
    await deliveries.play(refundScenario(found, made, hooks, 1), ruleOf(minor, cur));
    return reply;
  }

  async function challenge(request: SandboxRequest, id: string): Promise<Reply> {
    const found = byId.get(id);
    if (!found || (found.state !== 'challenge' && !found.pressed)) return messagePage(404, 'No such challenge');
    const result = request.form()?.get('result');
    if (request.method === 'POST' && (result === 'pass' || result === 'fail')) {
      if (!found.pressed) {
        found.pressed = result;
        await deliveries.play(chargeScenario(found, hooks), found.rule);
      }
      const query = `charge=${encodeURIComponent(id)}&ref=${encodeURIComponent(found.ref)}`;
      return redirectReply(`${found.back}${found.back.includes('?') ? '&' : '?'}${query}`);
    }
    return choicePage({
      title: '3D Secure',
      text: 'Approve this payment?',
      action: new URL(challengeUrl(found)).pathname,
      name: 'result',
      values: ['pass', 'fail'],
      summary: { money: moneyFromMinor(found.minor, found.cur), shop: options.merchantId, reference: found.ref },
    });
  }

  const handle = createRouter(
    {
      'POST /v1/charges': charge,
      'GET /v1/charges': statusByRef,
      'GET /v1/charges/:id': statusById,
      'POST /v1/charges/:id/resume': resume,
      'POST /v1/charges/:id/refunds': refund,
      'GET /challenge/:id': challenge,
      'POST /challenge/:id': challenge,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(hooks) };
};

createSandbox.testValues = [
  { member: 'token', value: 'tok_approved', result: 'paid' },
  { member: 'token', value: 'tok_decline_05', result: 'declined 05' },
  { member: 'token', value: 'tok_decline_51', result: 'declined 51' },
  { member: 'token', value: 'tok_decline_54', result: 'declined 54' },
  { member: 'token', value: 'tok_decline_57', result: 'declined 57' },
  { member: 'token', value: 'tok_decline_61', result: 'declined 61' },
  { member: 'token', value: 'tok_challenge', result: 'challenge by 3D Secure' },
  { member: 'token', value: 'tok_pending_ok', result: 'pending, then paid' },
  { member: 'token', value: 'tok_pending_05', result: 'pending, then declined 05' },
  { member: 'token', value: 'tok_pending', result: 'pending forever' },
  { member: 'token', value: 'tok_lost', result: 'pending: charged, but the answer never arrives; then paid' },
  { member: 'token', value: 'tok_refund', result: 'paid, refunded in full later' },
  { member: 'token', value: 'tok_dispute', result: 'paid, charged back later, and the dispute is lost' },
  { member: 'token', value: 'tok_updated', result: 'paid, and the card is updated' },
  { member: 'token', value: 'tok_active', result: 'paid, and the token is reported as active' },
  { member: 'token', value: 'tok_suspended', result: 'declined 57: the token is suspended' },
  { member: 'token', value: 'tok_deleted', result: 'declined 54: the token is deleted' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;

/** Simulates provider B: sales, member codes, status, returns and all callbacks. */
import type { CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  textReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { answerReply, isKept, problems, repeated, stopped } from './answers.ts';
import { createMessages, isAcknowledged } from './callbacks.ts';
import {
  end,
  isKnownAtOnce,
  openOrder,
  presentStatus,
  reversal,
  ruleOf,
  scenarioFor,
  wrongThreeTimes,
  type Order,
} from './orders.ts';
import { ConfirmFields, readCall, ReturnFields, SaleFields, StatusFields } from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';

/** The code that the payer receives for the card that requires one. */
const MEMBER_CODE = '123456';
const TRIES = 3;

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const toMessage = createMessages(options);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isAcknowledged,
    repeatAfter: [1, 1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const orders = new BoundedMap<string, Order>();
  const repetitions = createRepetitions();
  const isFirst = createOnce();

  const reported = { again: repeated, busy: problems.inWork, differs: problems.otherValues, keep: isKept };
  const trouble = { error: textReply(500, 'internal error'), tooMany: textReply(429, 'slow down') };

  const named = ({ txn, ref }: Order): Record<string, string> => ({ b_txn: txn, gw_ref: ref });
  const declined = (order: Order): Reply =>
    answerReply('declined', { ...named(order), code: order.code, note: order.note });

  function find(fields: { gw_ref: string; b_txn: string }): Order | undefined {
    const order = orders.get(fields.gw_ref);
    return fields.b_txn === '' || order?.txn === fields.b_txn ? order : undefined;
  }

  /** Stores the sale, starts its callbacks and returns the answer as it was before the first callback. */
  async function take(order: Order): Promise<Reply> {
    orders.set(order.ref, order);
    if (order.step === 'code') return answerReply('code', named(order));
    if (isKnownAtOnce(order)) end(order, order.ending);
    const reply = order.outcome === 'declined' ? declined(order) : answerReply('taken', named(order));
    await deliveries.play(scenarioFor(order, toMessage), order.rule);
    return faulty(reply, undefined, order.card);
  }

  async function sale(request: SandboxRequest, endpoint: string): Promise<Reply> {
    const asked = readCall(request, endpoint, options, SaleFields, ({ fields, minor }) => [
      endpoint,
      fields.gw_ref,
      minor,
      fields.mail,
    ]);
    if ('refused' in asked) return asked.refused;
    const { fields, minor } = asked;
    const { gw_ref: ref, cur, hook, pan, holder } = fields;
    const rule = ruleOf(minor, cur);
    let isNew = false;
    const reply = await repetitions.answer(
      `sale ${ref}`,
      `${minor} ${cur} ${pan}`,
      async () => {
        isNew = true;
        const refused = troubleBefore(rule, () => isFirst(ref), trouble);
        return refused ?? take(openOrder({ ref, cur, minor, hook, pan, holder }));
      },
      reported,
    );
    return isNew && rule === '.53' ? stopped(reply) : reply;
  }

  async function confirm(request: SandboxRequest, endpoint: string): Promise<Reply> {
    const asked = readCall(request, endpoint, options, ConfirmFields, ({ fields }) => [
      fields.login,
      fields.gw_ref,
      fields.b_txn,
      fields.code,
    ]);
    if ('refused' in asked) return asked.refused;
    const { fields } = asked;
    const order = find(fields);
    if (!order) return problems.noOrder;
    const isRight = fields.code === MEMBER_CODE;
    if (order.step === 'taken' && isRight) return answerReply('taken', named(order));
    if (order.step !== 'code') return problems.noCodeAwaited;
    if (isRight) {
      order.step = 'taken';
      await deliveries.play(scenarioFor(order, toMessage), order.rule);
      return answerReply('taken', named(order));
    }
    order.wrongCodes += 1;
    const left = TRIES - order.wrongCodes;
    if (left > 0) return problems.wrongCode(left);
    order.step = 'none';
    end(order, wrongThreeTimes);
    await deliveries.play(scenarioFor(order, toMessage, wrongThreeTimes), order.rule);
    return declined(order);
  }

  function status(request: SandboxRequest, endpoint: string): Reply {
    const asked = readCall(request, endpoint, options, StatusFields, ({ fields }) => [
      fields.login,
      fields.gw_ref,
      fields.b_txn,
    ]);
    if ('refused' in asked) return asked.refused;
    const order = find(asked.fields);
    return order ? answerReply('status', presentStatus(order)) : problems.noOrder;
  }

  async function giveBack(request: SandboxRequest, endpoint: string): Promise<Reply> {
    const asked = readCall(request, endpoint, options, ReturnFields, ({ fields, minor }) => [
      fields.login,
      fields.gw_ref,
      fields.b_txn,
      fields.return_ref,
      minor,
    ]);
    if ('refused' in asked) return asked.refused;
    const { fields, minor } = asked;
    const order = find(fields);
    if (!order) return problems.noOrder;
    if (order.cur !== fields.cur) return problems.field('cur');
    return repetitions.answer(
      `return ${fields.return_ref}`,
      `${order.txn} ${minor} ${fields.cur}`,
      async () => {
        if (order.outcome !== 'approved') return problems.notApproved;
        if (order.asked + BigInt(minor) > BigInt(order.minor)) return problems.tooMuch;
        const message = reversal(order, BigInt(minor), toMessage, 1);
        const reply = answerReply('taken', { ...named(order), op_no: String(order.operations) });
        await deliveries.play([message], ruleOf(minor, fields.cur));
        return reply;
      },
      reported,
    );
  }

  const handle = createRouter(
    {
      'POST /api/sale/:endpoint': sale,
      'POST /api/confirm/:endpoint': confirm,
      'POST /api/status/:endpoint': status,
      'POST /api/return/:endpoint': giveBack,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, orders, toMessage) };
};

createSandbox.testValues = [
  { member: 'number', value: '4000000000003238', result: 'page: asks for the member code 123456' },
  { member: 'name', value: 'FILTER ', result: 'pending, then declined: filtered before the bank' },
  { member: 'name', value: 'ERROR ', result: 'pending, then failed' },
  { member: 'name', value: 'DOUBT ', result: 'pending: the status is unknown first, then paid' },
];

export default createSandbox;

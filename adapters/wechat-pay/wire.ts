/** What WeChat Pay answers: a signed success, or an error that names a code. */
import {
  errorAnswers,
  readAs,
  readJsonBody,
  readJsonObject,
  v,
  type ErrorTable,
  type HttpReply,
} from '@paywright/contract';
import type { Context } from './options.ts';
import { isSigned } from './signing.ts';

/** What a 200 says that WeChat Pay signed; undefined for anything else. */
export async function readSigned<S extends v.GenericSchema>(
  schema: S,
  reply: HttpReply,
  ctx: Context,
): Promise<v.InferOutput<S> | undefined> {
  if (reply.status !== 200 || !(await isSigned(reply, ctx))) return undefined;
  return readAs(schema, readJsonObject(reply.body));
}

const Refusal = v.object({ code: v.pipe(v.string(), v.nonEmpty()), message: v.optional(v.string()) });
const codeOf = (reply: HttpReply): string | undefined =>
  reply.status >= 400 ? readJsonBody(Refusal, reply)?.code : undefined;

const provider = 'WeChat Pay';
const misconfigured: ErrorTable['misconfigured'] = {
  '401 SIGN_ERROR': 'mchid and merchantKey',
  '400 APPID_MCHID_NOT_MATCH': 'mchid and appid',
  '400 MCH_NOT_EXISTS': 'mchid',
  '404 MCH_NOT_EXISTS': 'mchid',
  '403 NO_AUTH': 'the products that the merchant platform grants',
};

/** An order by our name is there already, and somebody may know how to pay it. */
const orderIsThere = new Set(['OUT_TRADE_NO_USED', 'ORDERPAID', 'ORDER_PAID']);

/**
 * Errors of an order. It charges nothing by itself: only its answer says how to pay it, so with any error of WeChat Pay's own
 * nobody can.
 */
export const orderErrors = errorAnswers({
  provider,
  codeOf,
  nothingCharged: [],
  misconfigured,
  saysNothingCharged(reply) {
    const code = codeOf(reply);
    return code !== undefined && !orderIsThere.has(code);
  },
});

/** Errors of a refund: those listed gave nothing back; SYSTEM_ERROR is none of them. */
export const refundErrors = errorAnswers({
  provider,
  codeOf,
  nothingCharged: [],
  misconfigured,
  refundRefused: [
    '400 PARAM_ERROR',
    '400 INVALID_REQUEST',
    '400 TRADE_OVERDUE',
    '403 TRADE_ERROR',
    '403 RULE_LIMIT',
    '403 NOT_ENOUGH',
    '403 USER_ACCOUNT_ABNORMAL',
    '404 RESOURCE_NOT_EXISTS',
  ],
});

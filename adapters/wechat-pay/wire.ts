/** WeChat Pay's answers: a signed success, or an error that names a code. */
import {
  errorAnswers,
  filled,
  readAs,
  readJsonBody,
  readJsonObject,
  v,
  type ErrorTable,
  type HttpReply,
  type InterfaceField,
} from '@paywright/contract';
import type { Context } from './options.ts';
import { isSigned } from './signing.ts';

/** The content of a 200 that WeChat Pay signed; undefined for any other answer. */
export async function readSigned<S extends v.GenericSchema>(
  schema: S,
  reply: HttpReply,
  ctx: Context,
): Promise<v.InferOutput<S> | undefined> {
  if (reply.status !== 200 || !(await isSigned(reply, ctx))) return undefined;
  return readAs(schema, readJsonObject(reply.body));
}

const Refusal = v.object({ code: filled });
const Detail = v.object({ detail: v.object({ field: v.string() }) });
const codeOf = (reply: HttpReply): string | undefined =>
  reply.status >= 400 ? readJsonBody(Refusal, reply)?.code : undefined;

/** WeChat Pay's members that hold a value of the merchant's body, by the paths of `detail.field`. */
const refusedMembers: Readonly<Record<string, InterfaceField>> = {
  '/amount/total': 'amount',
  '/body/amount/total': 'amount',
  '/amount/currency': 'unit',
  '/body/amount/currency': 'unit',
  '/scene_info/payer_client_ip': 'ipAddress',
  '/body/scene_info/payer_client_ip': 'ipAddress',
};

const common: Pick<ErrorTable, 'provider' | 'codeOf' | 'nothingCharged' | 'misconfigured'> = {
  provider: 'WeChat Pay',
  codeOf,
  nothingCharged: [],
  misconfigured: {
    '401 SIGN_ERROR': 'mchid and merchantKey',
    '400 APPID_MCHID_NOT_MATCH': 'mchid and appid',
    '400 MCH_NOT_EXISTS': 'mchid',
    '404 MCH_NOT_EXISTS': 'mchid',
    '403 NO_AUTH': 'the products that the merchant platform grants',
  },
};

/** An order of this name exists, so a payer may have its code. */
const orderExists = new Set(['OUT_TRADE_NO_USED', 'ORDERPAID', 'ORDER_PAID', 'ORDER_CLOSED']);

/**
 * Errors of an order. An order charges nothing before a payer has its code or its page, and only the answer of success
 * holds them. So every error that names a code says that nothing was charged.
 */
export const orderErrors = errorAnswers({
  ...common,
  saysNothingCharged(reply) {
    const code = codeOf(reply);
    return code !== undefined && !orderExists.has(code);
  },
  refusedField(reply, code) {
    const field = code === 'PARAM_ERROR' ? readJsonBody(Detail, reply)?.detail.field : undefined;
    return field !== undefined && Object.hasOwn(refusedMembers, field) ? refusedMembers[field] : undefined;
  },
});

/** Errors of a refund. The listed ones gave nothing back. SYSTEM_ERROR is unknown. */
export const refundErrors = errorAnswers({
  ...common,
  refundRefused: [
    '400 PARAM_ERROR',
    '400 INVALID_REQUEST',
    '400 TRADE_OVERDUE',
    '403 INVALID_REQUEST',
    '403 TRADE_ERROR',
    '403 RULE_LIMIT',
    '403 NOT_ENOUGH',
    '403 USER_ACCOUNT_ABNORMAL',
    '404 RESOURCE_NOT_EXISTS',
  ],
});

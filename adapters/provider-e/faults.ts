/** E's error answers: only one that says that nothing has begun is a statement. */
import {
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  readXml,
  unknown,
  utf8,
  v,
  type HttpReply,
  type Outcome,
} from '@gateway/contract';
import { xmlLimits } from './order.ts';

const Fault = v.object({ code: v.optional(v.string(), ''), begun: v.optional(v.string(), '') });
export type Fault = v.InferOutput<typeof Fault>;

const JsonFault = v.object({ error: Fault });

/** `<pay:fault code begun>`; undefined for anything else. */
export function readXmlFault({ body }: HttpReply): Fault | undefined {
  const root = readXml(utf8(body), xmlLimits);
  return root?.name === 'fault' ? readAs(Fault, Object.fromEntries(root.attributes)) : undefined;
}

/** `{ "error": { "code", "begun", "text" } }`; undefined for anything else. */
export function readJsonFault({ body }: HttpReply): Fault | undefined {
  return readAs(JsonFault, readJsonObject(body))?.error;
}

/** What an answer that is not a good one means: certainly nothing moved, or unknown. */
export function faultOutcome({ status }: HttpReply, fault: Fault | undefined): Outcome {
  // A fault's text may repeat what we sent.
  const code = /^[A-Z_]{1,32}$/.test(fault?.code ?? '') ? ` ${fault?.code}` : '';
  const said = `E answered ${status}${code}`;
  if (fault?.begun !== 'no') return unknown(fault ? said : `${said}, and nothing readable about this payment`);
  return fault.code === 'ACCESS'
    ? misconfigured(`${said}: check account, apiUser, apiPassword and h2hKeys`)
    : nothingCharged(said);
}

/** E registers an order before anything else: once the submission has ended, one that E never saw is none. */
export function neverSeen({ status }: HttpReply, fault: Fault | undefined, endedAt: Date | null): boolean {
  return status === 404 && fault?.code === 'NO_ORDER' && fault.begun === 'no' && endedAt !== null;
}

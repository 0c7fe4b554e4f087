/** A step at the issuer's page: how C describes it, and the form that leads the payer there. */
import { filled, readAs, v, webAddress, type Action } from '@paywright/contract';
import type { Context } from './options.ts';
import type { Form } from './wire.ts';

const common = {
  c_acs: webAddress,
  c_tds: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)),
};
const Challenge = v.variant('c_step', [
  v.object({ ...common, c_step: v.literal('creq'), c_creq: filled }),
  v.object({ ...common, c_step: v.literal('pareq'), c_pareq: filled }),
  v.object({ ...common, c_step: v.literal('method') }),
]);
type Challenge = v.InferOutput<typeof Challenge>;

/** The address to which the issuer's page posts its result: a route of the gateway. */
export function issuerReturn(publicUrl: string): string {
  return `${publicUrl}/callbacks/3ds`;
}

/** The redirect to the issuer. Undefined if the form names no issuer, or core gives no token for the return. */
export function toAction(form: Form, { threeDsToken: token, publicUrl }: Context): Action | undefined {
  const challenge = readAs(Challenge, Object.fromEntries(form));
  if (!challenge || token === undefined) return undefined;
  const { c_acs: url, c_tds: transactionId } = challenge;
  const fields = toFields(challenge, token, issuerReturn(publicUrl));
  return { type: 'redirect', method: 'POST', url, fields, transactionId };
}

function toFields(challenge: Challenge, token: string, wayBack: string): Record<string, string> {
  switch (challenge.c_step) {
    case 'creq':
      return { creq: challenge.c_creq, threeDSSessionData: token };
    case 'pareq':
      return { PaReq: challenge.c_pareq, TermUrl: wayBack, MD: token };
    case 'method': {
      const data = { threeDSServerTransID: challenge.c_tds, threeDSMethodNotificationURL: `${wayBack}?t=${token}` };
      return { threeDSMethodData: Buffer.from(JSON.stringify(data)).toString('base64url') };
    }
  }
}

/** 3D Secure at the issuer's page: the form that leads there, and what tells C that the step has ended. */
import { readAs, v, type Action, type CompletionStep, type StoredPayment } from '@gateway/contract';
import type { Fields, Form } from './wire.ts';
import { callHash } from './signing.ts';
import type { Account } from './options.ts';

const Filled = v.pipe(v.string(), v.minLength(1));
const common = {
  c_acs: v.pipe(
    v.string(),
    v.check((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)),
  ),
  c_tds: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)),
};
const Challenge = v.variant('c_step', [
  v.object({ ...common, c_step: v.literal('creq'), c_creq: Filled }),
  v.object({ ...common, c_step: v.literal('pareq'), c_pareq: Filled }),
  v.object({ ...common, c_step: v.literal('method') }),
]);
type Challenge = v.InferOutput<typeof Challenge>;

/** The payer's way to the issuer; undefined where the form names none, or core lends no token to come back with. */
export function toAction(form: Form, token: string | undefined, publicUrl: string): Action | undefined {
  const challenge = readAs(Challenge, Object.fromEntries(form));
  if (!challenge || token === undefined) return undefined;
  const { c_acs: url, c_tds: transactionId } = challenge;
  const fields = toFields(challenge, token, `${publicUrl}/callbacks/3ds`);
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

/** Tells C that a step has ended; undefined where nothing says which, or C's id is not known. */
export function completeFields(payment: StoredPayment, step: CompletionStep, account: Account): Fields | undefined {
  const { reference, providerReference: id, action } = payment;
  const ended = step.kind === '3ds' ? postedStep(step.field, step.value) : waitingStep(action);
  if (id === undefined || !ended) return undefined;
  const [name, value] = ended;
  return {
    c_key: account.key,
    c_ref: reference,
    c_id: id,
    [name]: value,
    c_hash: callHash(account, account.key, 'complete', reference, id, value),
  };
}

type Ended = readonly [name: 'c_cres' | 'c_pares' | 'c_method', value: string];

function postedStep(field: 'cres' | 'PaRes' | 'threeDSMethodData', value: string): Ended {
  const names = { cres: 'c_cres', PaRes: 'c_pares', threeDSMethodData: 'c_method' } as const;
  return [names[field], field === 'threeDSMethodData' ? 'done' : value];
}

/** Where nothing was posted to us, the way that the payer was sent tells the step. C asks the issuer what came of it. */
function waitingStep(action: Action | undefined): Ended | undefined {
  const fields = (action?.type === 'redirect' && action.fields) || {};
  if ('creq' in fields) return ['c_cres', 'done'];
  if ('PaReq' in fields) return ['c_pares', 'done'];
  return 'threeDSMethodData' in fields ? ['c_method', 'done'] : undefined;
}

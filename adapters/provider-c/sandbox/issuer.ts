/** The simulated issuer: challenge pages for 3DS 2 and 3DS 1, and the method address. */
import { readAnyBase64, readAs, readJson, utf8, v, type SandboxSetup } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  messagePage,
  newId,
  redirectReply,
  returnForm,
  type Handler,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Fields } from '../wire.ts';
import type { Options } from '../options.ts';
import type { Ledger } from './ledger.ts';
import { isItYou, summaryOf, type Payment } from './payments.ts';

/** A payer's browser at the challenge page, with the data that the gateway wants back. */
interface Visit {
  readonly payment: Payment;
  readonly protocol: 'creq' | 'PaReq';
  readonly token: string;
  readonly wayBack: string;
}

const MethodData = v.object({
  threeDSMethodNotificationURL: v.pipe(
    v.string(),
    v.check((url) => URL.canParse(url)),
  ),
});

/** Decodes base64 text. Empty for any other text. */
function decoded(value = ''): string {
  return utf8(readAnyBase64(value) ?? new Uint8Array()) ?? '';
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The fields of an answer that redirects the payer to the issuer. */
export function challengeFields({ step, tds }: Payment, baseUrl: string): Fields {
  if (!step) return {};
  const common = { c_step: step, c_acs: `${baseUrl}/acs`, c_tds: tds };
  switch (step) {
    case 'creq': {
      const message = { messageType: 'CReq', messageVersion: '2.2.0', challengeWindowSize: '05' };
      return { ...common, c_creq: base64url({ threeDSServerTransID: tds, acsTransID: tds, ...message }) };
    }
    case 'pareq':
      return { ...common, c_pareq: Buffer.from(`PAReq ${tds}`).toString('base64') };
    case 'method':
      return { ...common, c_acs: `${baseUrl}/acs/method` };
  }
}

/** The first step, by the payer's name. */
export function firstStep(name: string): 'method' | 'creq' | 'pareq' {
  if (name.startsWith('PAREQ ')) return 'pareq';
  return name.startsWith('METHOD ') ? 'method' : 'creq';
}

export function issuerRoutes({ baseUrl }: SandboxSetup<Options>, ledger: Ledger): Record<string, Handler> {
  const visits = new BoundedMap<string, Visit>();
  const noChallenge = messagePage(404, 'No such challenge');

  /** The payment that a message to the issuer is about. */
  function paymentIn(message: string): Payment | undefined {
    const [tds] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(message) ?? [];
    return tds === undefined ? undefined : ledger.byTransaction(tds);
  }

  function arrive(request: SandboxRequest): Reply {
    const form = request.form();
    const protocol = form?.has('creq') ? 'creq' : 'PaReq';
    const payment = paymentIn(decoded(form?.get(protocol)));
    if (!form || !payment) return noChallenge;
    const [token, wayBack] =
      protocol === 'creq'
        ? [form.get('threeDSSessionData'), payment.issuerBack]
        : [form.get('MD'), form.get('TermUrl')];
    if (wayBack === undefined || !URL.canParse(wayBack))
      return messagePage(400, 'The return address of the shop is missing');
    const id = newId('', 16);
    visits.set(id, { payment, protocol, token: token ?? '', wayBack });
    return redirectReply(`${baseUrl}/acs/${id}`);
  }

  function challenge(request: SandboxRequest, id: string): Reply {
    const visit = visits.get(id);
    if (!visit) return noChallenge;
    const choice = request.method === 'POST' ? request.form()?.get('choice') : undefined;
    if (choice !== 'pass' && choice !== 'fail') {
      return choicePage({
        title: '3D Secure',
        text: isItYou(visit.payment),
        action: `${new URL(baseUrl).pathname.replace(/\/$/, '')}/acs/${id}`,
        name: 'choice',
        values: ['pass', 'fail'],
        summary: summaryOf(visit.payment),
      });
    }
    const { payment, protocol, token, wayBack } = visit;
    payment.pressed ??= choice;
    const transStatus = payment.pressed === 'pass' ? 'Y' : 'N';
    const { tds } = payment;
    if (protocol === 'PaReq') {
      const PaRes = Buffer.from(`PARes ${tds} ${transStatus}`).toString('base64');
      return returnForm(request, wayBack, { PaRes, MD: token });
    }
    const message = { messageType: 'CRes', messageVersion: '2.2.0', challengeCompletionInd: 'Y', transStatus };
    const cres = base64url({ threeDSServerTransID: tds, acsTransID: tds, ...message });
    return returnForm(request, wayBack, { cres, threeDSSessionData: token });
  }

  /** The payer's browser shows nothing here and returns immediately. */
  function method(request: SandboxRequest): Reply {
    const message = decoded(request.form()?.get('threeDSMethodData'));
    const payment = paymentIn(message);
    const wayBack = readAs(MethodData, readJson(message))?.threeDSMethodNotificationURL;
    if (!payment || wayBack === undefined) return noChallenge;
    return returnForm(request, wayBack, { threeDSMethodData: base64url({ threeDSServerTransID: payment.tds }) });
  }

  return {
    'POST /acs': arrive,
    'POST /acs/method': method,
    'GET /acs/:id': challenge,
    'POST /acs/:id': challenge,
  };
}

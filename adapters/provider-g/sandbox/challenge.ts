/** The issuer's side of 3D Secure: the challenge page, and the result that returns through the payer's browser. */
import { randomUUID } from 'node:crypto';
import {
  choicePage,
  messagePage,
  returnForm,
  type PageSummary,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';

export interface Challenge {
  /** The threeDSServerTransID. */
  readonly id: string;
  readonly url: string;
  readonly creq: string;
  readonly acsTransID: string;
  readonly termUrl: string;
  readonly summary: PageSummary;
  /** The payer's first choice. */
  pressed?: 'pass' | 'fail';
}

export function openChallenge(baseUrl: string, termUrl: string, summary: PageSummary): Challenge {
  const [id, acsTransID] = [randomUUID(), randomUUID()];
  const creq = packed({ ...headOf(id, acsTransID, 'CReq'), challengeWindowSize: '05' });
  return { id, url: `${baseUrl}/acs/${id}`, creq, acsTransID, termUrl, summary };
}

/** The issued result; undefined until the payer has chosen. */
export function cresOf({ id, acsTransID, pressed }: Challenge): string | undefined {
  if (!pressed) return undefined;
  return packed({ ...headOf(id, acsTransID, 'CRes'), transStatus: pressed === 'pass' ? 'Y' : 'N' });
}

function headOf(id: string, acsTransID: string, messageType: string) {
  return { threeDSServerTransID: id, acsTransID, messageType, messageVersion: '2.2.0' };
}

function packed(message: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

/** The page to which a browser posts `creq`. Its choice goes to `<url>/answer`. */
export function challengePage(request: SandboxRequest, challenge: Challenge | undefined): Reply {
  if (!challenge) return messagePage(404, 'No such challenge');
  return choicePage({
    title: '3D Secure',
    text: 'Approve this payment?',
    action: `${new URL(challenge.url).pathname}/answer`,
    name: 'choice',
    values: ['pass', 'fail'],
    hidden: { threeDSSessionData: sessionOf(request) },
    summary: challenge.summary,
  });
}

/** Accepts the choice and sends the browser back with the result. A second choice changes nothing. */
export function answerPage(request: SandboxRequest, challenge: Challenge | undefined): Reply {
  const choice = request.form()?.get('choice');
  if (!challenge || (choice !== 'pass' && choice !== 'fail')) return challengePage(request, challenge);
  challenge.pressed ??= choice;
  const fields = { cres: cresOf(challenge)!, threeDSSessionData: sessionOf(request) };
  return returnForm(request, challenge.termUrl, fields);
}

function sessionOf(request: SandboxRequest): string {
  return request.form()?.get('threeDSSessionData') ?? '';
}

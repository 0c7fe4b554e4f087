// for: card token
/** The issuer's side of 3D Secure: its page, and the result that returns through the payer's browser. */
import { randomUUID } from 'node:crypto';
import {
  choicePage,
  messagePage,
  returnForm,
  type PageSummary,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import { decide, undecided } from '../undecided.ts';

export interface Challenge {
  readonly id: string;
  readonly url: string;
  /** Where the bank's page sends the browser. */
  readonly returnUrl: string;
  readonly summary: PageSummary;
  /** The first button that the payer pressed. */
  pressed?: 'pass' | 'fail';
}

export function openChallenge(baseUrl: string, returnUrl: string, summary: PageSummary): Challenge {
  const id = randomUUID();
  return { id, url: `${baseUrl}/acs/${id}`, returnUrl, summary };
}

/** The description of the challenge and its result in answers. */
export function presentChallenge({ id, url, pressed }: Challenge): Record<string, unknown> {
  const creq = packed({ threeDSServerTransID: id, messageType: 'CReq' });
  const threeDs = pressed === 'pass' ? 'authenticated' : 'none';
  return { challenge: { id, url, creq, ended: pressed !== undefined }, threeDs };
}

function packed(message: Readonly<Record<string, string>>): string {
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

/** The page to which the browser posts `creq`. The choice goes to `<url>/answer`. */
export function issuerPage(request: SandboxRequest, challenge: Challenge | undefined): Reply {
  if (!challenge) return messagePage(404, 'No such challenge');
  return choicePage({
    title: decide(undecided.challenge, '3D Secure'),
    text: 'Approve this payment?',
    action: `${new URL(challenge.url).pathname}/answer`,
    name: 'choice',
    values: ['pass', 'fail'],
    hidden: { threeDSSessionData: sessionOf(request) },
    summary: challenge.summary,
  });
}

/** Reads the choice and sends the browser back with the result. A second choice changes nothing. */
export function answerPage(request: SandboxRequest, challenge: Challenge | undefined): Reply {
  const choice = request.form()?.get('choice');
  if (!challenge || (choice !== 'pass' && choice !== 'fail')) return issuerPage(request, challenge);
  challenge.pressed ??= choice;
  const transStatus = challenge.pressed === 'pass' ? 'Y' : 'N';
  const cres = packed({ threeDSServerTransID: challenge.id, messageType: 'CRes', transStatus });
  return returnForm(request, challenge.returnUrl, { cres, threeDSSessionData: sessionOf(request) });
}

function sessionOf(request: SandboxRequest): string {
  return request.form()?.get('threeDSSessionData') ?? '';
}
// end

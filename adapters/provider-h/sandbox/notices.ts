/** H's callbacks: each step of a pay and of its returns, one delay after the previous one. */
import { stringifyExact, utf8, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import { wrongSecret, type Message, type Sending, type ScenarioMessage } from '@paywright/contract/sandbox';
import { canonicalText, digestOf } from '../signing.ts';
import type { Options } from '../options.ts';
import { after, present, presentReturn, type Pay, type Return } from './pays.ts';
import type { Step } from './scenarios.ts';

export interface Notices {
  /** The steps of a pay. */
  scenario(pay: Pay, steps: readonly Step[]): readonly ScenarioMessage[];
  /** The steps of a return. */
  returnScenario(pay: Pay, made: Return, states: readonly Return['state'][]): readonly Message[];
  /** One message about a pay; with `back`, about that return. */
  message(pay: Pay, back?: Return): Pick<Message, 'name' | 'request'>;
}

/** H sends again until it gets 200 with `OK`. */
export function isTaken({ status, body }: CallbackReply): boolean {
  return status === 200 && utf8(body)?.trim() === 'OK';
}

export function createNotices({ options, delayMs }: SandboxSetup<Options>): Notices {
  const { merchantNo, ipnSecrets } = options;
  const secret = ipnSecrets[0]!;

  const message: Notices['message'] = (pay, back) => {
    const shown = present(pay, merchantNo);
    const said = back ? { ...shown, phase: 'returned', back: presentReturn(back) } : shown;
    // The same bytes every time: a repeated callback is the same event.
    const body = stringifyExact(said);
    const canonical = canonicalText(body);
    return {
      name: back ? `returned:${back.state}` : pay.phase,
      request({ forged }: Sending) {
        const digest = digestOf(forged ? wrongSecret(secret) : secret, canonical).toString('hex');
        const headers = { 'Content-Type': 'application/json', 'X-H-Digest': digest };
        return { method: 'POST', url: pay.ipn, headers, body };
      },
    };
  };

  return {
    message,

    scenario(pay, steps) {
      // Times must increase, also without a delay.
      const [begun, apart] = [Math.max(Date.now(), pay.at), Math.max(delayMs, 1)];
      let before = pay;
      return steps.map((step, index) => {
        const then = (before = after(before, step, begun + (index + 1) * apart));
        // A report after the end does not undo the end.
        return { ...message(then), happens: () => (then.at > pay.at ? advance(pay, then) : undefined) };
      });
    },

    returnScenario: (pay, made, states) =>
      states.map((state, index) => {
        const at = Date.now() + (index + 1) * delayMs;
        const reported = message({ ...pay, at }, { ...made, state });
        return {
          name: reported.name,
          after: index + 1,
          request(sending) {
            if (sending.number === 1) made.state = state;
            return reported.request(sending);
          },
        };
      }),
  };
}

function advance(pay: Pay, { phase, got, confs, why, at }: Pay): void {
  Object.assign(pay, { phase, got, confs, why, at });
}

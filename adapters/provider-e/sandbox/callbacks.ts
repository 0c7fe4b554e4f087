/** E's callbacks: notices in XML, and tokens for host-to-host payments. */
import { utf8, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import type { Options } from '../options.ts';
import { writeCallback } from './h2h-side.ts';
import type { Step, Way } from './payments.ts';
import type { Notify } from './scenarios.ts';
import { writeNotice } from './xml-side.ts';

const acknowledged: Readonly<Record<Way, (reply: CallbackReply) => boolean>> = {
  xml: ({ status, body }) => status === 200 && utf8(body) === '[OK]',
  h2h: ({ status }) => status >= 200 && status <= 299,
};

export function createNotify({ options, publicUrl }: SandboxSetup<Options>): Notify {
  return (payment, name, after, happens) => {
    let reported: Step | undefined;
    return {
      name,
      after,
      acknowledged: acknowledged[payment.way],
      request(sending) {
        if (sending.number === 1) reported = happens();
        if (!reported) return undefined;
        const [route, write] =
          payment.way === 'xml' ? (['providerE', writeNotice] as const) : (['providerEh2h', writeCallback] as const);
        return {
          method: 'POST',
          url: `${publicUrl}/callbacks/${route}`,
          ...write(payment, reported, options, sending),
        };
      },
    };
  };
}

/** E's callbacks: notices in XML, tokens for payments that came in host-to-host. */
import { utf8, type CallbackReply, type SandboxSetup } from '@gateway/contract';
import type { Options } from '../options.ts';
import { writeCallback } from './h2h-side.ts';
import type { Happening, Way } from './payments.ts';
import type { Tell } from './scenarios.ts';
import { writeNotice } from './xml-side.ts';

const acknowledged: Readonly<Record<Way, (reply: CallbackReply) => boolean>> = {
  xml: ({ status, body }) => status === 200 && utf8(body) === '[OK]',
  h2h: ({ status }) => status >= 200 && status <= 299,
};

export function createTell({ options, publicUrl }: SandboxSetup<Options>): Tell {
  return (payment, name, after, happens) => {
    let told: Happening | undefined;
    return {
      name,
      after,
      acknowledged: acknowledged[payment.way],
      request(sending) {
        if (sending.number === 1) told = happens();
        if (!told) return undefined;
        const [route, write] =
          payment.way === 'xml' ? (['providerE', writeNotice] as const) : (['providerEh2h', writeCallback] as const);
        return { method: 'POST', url: `${publicUrl}/callbacks/${route}`, ...write(payment, told, options, sending) };
      },
    };
  };
}

/**
 * Live or test: the mode in which an operator looks at payments. The browser keeps it, so that an operator chooses it
 * once for all pages, and it is kept for this operator only.
 */
import type { SafeHtml } from '@remix-run/html-template';
import * as v from 'valibot';
import { DAY, SECOND } from '../../base/async/time.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Environment } from '../../base/environment.ts';
import { createSessionCookie } from '../../html/components/session-cookie.ts';
import { searchOf, tabs } from '../../html/components/parts.ts';
import { addressWith } from '../../html/components/table.ts';
import type { Query } from '../../html/components/query.ts';

/** The modes that an address may name. `all` is for lists of both, and is not kept. */
export const modes = ['live', 'test', 'all'] as const;
export type Mode = (typeof modes)[number];

const keptSeconds = (365 * DAY) / SECOND;

export interface Modes {
  /** The mode that the operator chose last; live if nothing was chosen and live payments are possible. */
  read(cookies: string | undefined, operator: string): Environment;
  /** The `Set-Cookie` header that keeps the mode for the operator. */
  keep(operator: string, mode: Environment): string;
}

export function createModes({
  encrypter,
  liveKeys,
}: {
  readonly encrypter: Encrypter;
  readonly liveKeys: boolean;
}): Modes {
  const cookie = createSessionCookie({
    name: 'gateway_console_mode',
    path: '/ops',
    isSecure: true,
    schema: v.object({ operator: v.string(), mode: v.picklist(['live', 'test']) }),
    context: { collection: 'operators', id: 'console', member: 'mode' },
    encrypter,
  });
  return {
    read(cookies, operator) {
      const kept = cookie.read(cookies);
      if (kept?.operator === operator) return kept.mode;
      return liveKeys ? 'live' : 'test';
    },
    keep: (operator, mode) => cookie.set({ operator, mode }, keptSeconds),
  };
}

/** The mode of a page: the one in its address, otherwise the one that the operator works in. */
export function modeOf({ mode: asked }: Query, { mode = 'live' }: { readonly mode?: Environment }): Mode {
  return modes.find((one) => one === asked) ?? mode;
}

/** Links that show the same list in the other mode. */
export function modeSwitch(path: string, query: Query, mode: Mode): SafeHtml {
  const titles: Readonly<Record<Mode, string>> = { live: 'Live', test: 'Test', all: 'All' };
  return tabs(
    'Mode',
    modes.map((one) => ({
      title: titles[one],
      path: addressWith(path, { ...searchOf(query), mode: one }),
      isCurrent: one === mode,
    })),
  );
}

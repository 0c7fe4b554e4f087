/**
 * Sessions of the portal. The cookie is made from the link and ends with it. The link is read again for each request,
 * so that a revoked link opens nothing.
 */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { PortalLink } from '../../engine/access/index.ts';
import type { Portal } from '../index.ts';
import { SECOND } from '../../base/async/time.ts';
import type { FormSession } from '../../html/components/form.ts';
import { createSessionCookie } from '../../html/components/session-cookie.ts';

export interface PortalSession extends FormSession {
  readonly link: PortalLink;
  /** The merchant's name. */
  readonly merchant: string;
  /** The address of the portal as browsers see it. */
  readonly root: string;
}

export interface PortalSessions {
  /** Returns the `Set-Cookie` header. */
  begin(link: PortalLink): string;
  /** Undefined if there is no session, or the link has ended. */
  read(cookies: string | undefined): Promise<PortalSession | undefined>;
  /** The `Set-Cookie` header that deletes the cookie. */
  readonly ending: string;
}

export interface PortalSessionsDeps {
  readonly portal: Pick<Portal, 'active' | 'merchant'>;
  readonly encrypter: Encrypter;
  readonly isSecure: boolean;
  readonly root: string;
  readonly now: () => Date;
}

const Sealed = v.object({ id: v.string(), linkId: v.string() });

export function createPortalSessions({ portal, encrypter, isSecure, root, now }: PortalSessionsDeps): PortalSessions {
  const cookie = createSessionCookie({
    name: 'gateway_portal',
    path: root,
    isSecure,
    schema: Sealed,
    context: { collection: 'portalLinks', id: 'portal', member: 'session' },
    encrypter,
  });

  return {
    begin({ id: linkId, expiresAt }) {
      const seconds = Math.max(0, Math.ceil((expiresAt.getTime() - now().getTime()) / SECOND));
      return cookie.set({ id: randomUUID(), linkId }, seconds);
    },

    async read(cookies) {
      const session = cookie.read(cookies);
      const link = session && (await portal.active(session.linkId));
      const merchant = link && (await portal.merchant(link));
      if (!merchant) return undefined;
      const formToken = encrypter.fingerprint(`portal form ${session.id}`);
      return { link, merchant: merchant.name, formToken, root };
    },

    ending: cookie.ending,
  };
}

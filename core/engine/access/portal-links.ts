/**
 * Links to the portal of a merchant. A link opens the portal for an hour, for one owner and mode, unless it is revoked.
 * It consists of an id and its signature under the secret of fingerprints, so a forged link is refused without a
 * database query.
 */
import { randomBytes } from 'node:crypto';
import { sameText } from '@paywright/contract';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { portalLinkModel, type PortalLinkDocument } from '../../database/collections/portal-link.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Environment } from '../../base/environment.ts';
import { notFound } from '../../base/errors.ts';
import { DAY, HOUR, SECOND } from '../../base/async/time.ts';
import type { Actor, Audit } from '../audit/index.ts';
import { createUseRecorder } from './note-use.ts';
import type { Owner } from './owners.ts';
import { createReadCache } from './read-cache.ts';

export interface PortalLink {
  readonly id: string;
  readonly ownerId: number;
  readonly environment: Environment;
  /**
   * True if the link allows changes: the default address, the types, disabling an endpoint, and looking at and rotating
   * the webhook secret.
   */
  readonly allowsRotation: boolean;
  readonly expiresAt: Date;
}

export interface PortalLinkView extends PortalLink {
  readonly state: 'active' | 'expired' | 'revoked';
  /** The operator that created the link, such as `command ana`. */
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** Accurate to the minute. */
  readonly lastUsedAt: Date | null;
}

/** A new link. Anyone who has its address can open the portal. */
export interface CreatedPortalLink extends PortalLink {
  readonly url: string;
}

export interface NewPortalLink {
  readonly owner: Pick<Owner, 'id' | 'name'>;
  readonly environment: Environment;
  readonly allowsRotation: boolean;
}

export interface PortalLinks {
  create(link: NewPortalLink, madeBy: string): Promise<CreatedPortalLink>;
  /** The links of one owner, or of all owners, newest first. Includes links that ended within the last 90 days. */
  list(ownerId?: number): Promise<PortalLinkView[]>;
  /** Throws NF001 if there is no link with this id. */
  get(id: string): Promise<PortalLinkView>;
  /** The link stops working everywhere within 2 s. Throws NF001 if there is no link with this id. */
  revoke(id: string): Promise<void>;
  /** The link of a visitor. Undefined if it is forged, expired or revoked. */
  open(token: string): Promise<PortalLink | undefined>;
  /** The link of a visitor who already opened the portal. Undefined if it expired or was revoked. */
  active(id: string): Promise<PortalLink | undefined>;
}

export interface PortalLinksDeps {
  readonly connection: Connection;
  readonly encrypter: Pick<Encrypter, 'fingerprint'>;
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

const lifeMs = HOUR;
const rowKeptMs = 90 * DAY;
/** A revocation on another host takes effect within this time. */
const cacheMs = 2 * SECOND;
const cachedLinks = 1000;
const listed = 1000;
const idForm = /^plink_[0-9a-f]{16}$/;

export function createPortalLinks({ connection, encrypter, publicUrl, now, log }: PortalLinksDeps): PortalLinks {
  const links = portalLinkModel(connection);
  const read = async (id: string): Promise<PortalLinkDocument | undefined> =>
    (await links.findById(id).lean<PortalLinkDocument | null>()) ?? undefined;
  const recent = createReadCache({ read, keepMs: cacheMs, maxEntries: cachedLinks, now });
  const writeUse = async (_id: string, at: Date) => links.updateOne({ _id }, { $max: { lastUsedAt: at } });
  const noteUse = createUseRecorder(writeUse, now, log);
  const signatureOf = (id: string): string =>
    Buffer.from(encrypter.fingerprint(`portal link ${id}`), 'hex').toString('base64url');

  async function active(id: string): Promise<PortalLink | undefined> {
    const found = await recent.get(id);
    if (!found || found.revokedAt || found.expiresAt <= now()) return undefined;
    noteUse(found);
    return toLink(found);
  }

  return {
    async create({ owner, environment, allowsRotation }, madeBy) {
      const id = `plink_${randomBytes(8).toString('hex')}`;
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + lifeMs);
      const expireAt = new Date(expiresAt.getTime() + rowKeptMs);
      const link = { ownerId: owner.id, environment, allowsRotation, expiresAt };
      await links.create({ _id: id, ...link, madeBy, createdAt, expireAt });
      return { id, ...link, url: `${publicUrl}/portal/open?link=${id}.${signatureOf(id)}` };
    },

    async list(ownerId) {
      const found = await links
        .find(ownerId === undefined ? {} : { ownerId })
        .sort({ createdAt: -1 })
        .limit(listed)
        .lean<PortalLinkDocument[]>();
      return found.map((one) => present(one, now()));
    },

    async get(id) {
      const found = await read(id);
      if (!found) throw unknownLink(id);
      return present(found, now());
    },

    async revoke(id) {
      const still = { _id: id, revokedAt: { $exists: false } };
      const { matchedCount } = await links.updateOne(still, { revokedAt: now() });
      recent.forget(id);
      if (matchedCount === 0 && !(await links.exists({ _id: id }))) throw unknownLink(id);
    },

    async open(token) {
      const [id = '', signature = ''] = token.split('.', 2);
      return idForm.test(id) && sameText(signature, signatureOf(id)) ? active(id) : undefined;
    },

    active,
  };
}

/** The actions of operators on links. Each is audited. */
export interface PortalLinkActions {
  create(by: Actor, link: NewPortalLink): Promise<CreatedPortalLink>;
  /** Rejects like `revoke` of the links. */
  revoke(by: Actor, id: string): Promise<void>;
}

export function createPortalLinkActions(
  links: Pick<PortalLinks, 'create' | 'get' | 'revoke'>,
  audit: Pick<Audit, 'run'>,
): PortalLinkActions {
  return {
    async create(by, link) {
      const { owner, environment, allowsRotation } = link;
      const subject = { type: 'owner', id: owner.name };
      return audit.run(by, { act: 'portal.create', subject, plan: { environment, allowsRotation } }, async () => {
        const value = await links.create(link, `${by.type} ${by.name}`);
        const { id, expiresAt } = value;
        return { value, after: { link: id, environment, allowsRotation, expiresAt } };
      });
    },

    async revoke(by, id) {
      const { state } = await links.get(id);
      return audit.run(by, { act: 'portal.revoke', subject: { type: 'portal link', id } }, async () => {
        await links.revoke(id);
        return { value: undefined, before: { state }, after: { state: 'revoked' } };
      });
    },
  };
}

function toLink({ _id: id, ownerId, environment, allowsRotation, expiresAt }: PortalLinkDocument): PortalLink {
  return { id, ownerId, environment, allowsRotation, expiresAt };
}

function present(link: PortalLinkDocument, at: Date): PortalLinkView {
  const { madeBy, createdAt, revokedAt = null, lastUsedAt = null } = link;
  const state = revokedAt ? 'revoked' : link.expiresAt <= at ? 'expired' : 'active';
  return { ...toLink(link), state, madeBy, createdAt, revokedAt, lastUsedAt };
}

/** Repeats the id only if it is one: the input may be the whole link, which is a secret. */
function unknownLink(id: string): Error {
  return notFound(idForm.test(id) ? `portal link ${id}` : 'a portal link with this id (plink_ and 16 hex digits)');
}

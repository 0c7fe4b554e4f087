/** Owners (merchants): found by name or made, their webhook secrets, their default addresses. */
import { randomBytes } from 'node:crypto';
import { isCurrency } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { ownerModel } from '../../database/collections/owner.ts';
import { notificationTypes } from '../../database/collections/payment-request.ts';
import { webhookSecretContext } from '../../database/encryption-context.ts';
import type { KeptSecret, OwnerDocument } from '../../database/collections/owner.ts';
import type { Environment } from '../../base/environment.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import { readBrand, toBrand, type Brand, type BrandChanges, type Logo } from './brand.ts';
import type { LogoType } from './logo-image.ts';
import { readOverlapEnd } from './overlap.ts';
import type { Overlap } from './overlap.ts';
import { createReadCache } from './read-cache.ts';

export interface Owner {
  readonly id: number;
  readonly name: string;
  /** Where notifications of each environment go when neither the payment nor its request says. */
  readonly notifyUrls: Readonly<Record<Environment, string | null>>;
  readonly email: string | null;
  /** Of totals; null: config's. */
  readonly reportingCurrency: string | null;
  /** Of payments, those that it is notified of; null: all. */
  readonly notificationTypes: readonly string[] | null;
  readonly brand: Brand;
  /** Until then its test events without an address are kept for the stream. */
  readonly listeningUntil: Date | null;
  readonly createdAt: Date;
}

/** Whole secrets, `whsec_` included. */
export interface WebhookSecrets {
  readonly current: string;
  /** There while a rotation's overlap lasts. */
  readonly previous?: string;
}

export interface RotatedSecret {
  readonly ownerId: number;
  readonly webhookSecret: string;
  readonly previousValidUntil: Date;
}

/** A member that is absent stays as it is; null takes it away. */
export interface OwnerDefaults extends BrandChanges {
  /** Of live events. */
  readonly notifyUrl?: string | null | undefined;
  readonly testNotifyUrl?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly reportingCurrency?: string | null | undefined;
  readonly notificationTypes?: readonly string[] | null | undefined;
}

export interface Owners {
  /** The owner of exactly this name, made when there is none. Throws VAL002 `owner` on a name that is none. */
  findOrMake(name: string): Promise<Owner>;
  find(name: string): Promise<Owner | undefined>;
  /** As it was within the last 5 s. */
  get(ownerId: number): Promise<Owner | undefined>;
  list(): Promise<Owner[]>;
  /** What notifications are signed with; a rotation elsewhere shows within 5 s. NF001 where there is no such owner. */
  webhookSecrets(ownerId: number, environment: Environment): Promise<WebhookSecrets>;
  /** Until when the secret before the present one signs too, of each environment; null: it does not. NF001 as above. */
  secretOverlaps(ownerId: number): Promise<Readonly<Record<Environment, Date | null>>>;
  /** Makes a new secret; the present one stays valid for the overlap, one before it does not. NF001 as above. */
  rotateSecret(name: string, environment: Environment, overlap?: Overlap): Promise<RotatedSecret>;
  /** NF001 as above; VAL002 on a wrong address, currency or part of the brand, or a type that there is not. */
  setDefaults(name: string, defaults: OwnerDefaults): Promise<Owner>;
  /** As it was within the last minute; undefined where the owner has no logo of this hash. */
  logo(ownerId: number, hash: string): Promise<Logo | undefined>;
  /** Somebody listens to its test events; other processes know within 5 s. */
  listens(ownerId: number, until: Date): Promise<void>;
  /** The owner, if a notice of its old API version is due: to one caller of all processes in 24 h. */
  deprecationNotice(ownerId: number): Promise<Owner | undefined>;
}

const dayMs = 86_400_000;
const cacheMs = 5000;
const cachedOwners = 10_000;
const logoCacheMs = 60_000;
const cachedLogos = 200;
// Each try takes a further id, so this also outruns a counter that was lost, over a few calls if need be.
const idTries = 100;
const rotateTries = 20;
// Without it the driver gives encrypted bytes as a BSON Binary.
const plainRead = { lean: true, promoteBuffers: true } as const;
/** A logo is read by itself: it is larger than all else of an owner. */
const withoutLogo = { 'brand.logo.bytes': 0 } as const;

export function createOwners({
  connection,
  encrypter,
  now,
  nextOwnerId,
}: {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
  readonly nextOwnerId: () => Promise<number>;
}): Owners {
  const owners = ownerModel(connection);
  const findById = async (id: number): Promise<OwnerDocument | undefined> =>
    (await owners.findById(id, withoutLogo, plainRead)) ?? undefined;
  const recent = createReadCache({ read: findById, keepMs: cacheMs, maxEntries: cachedOwners, now });

  const logos = createReadCache({
    async read(id: number): Promise<Logo | undefined> {
      const found = (await owners.findById(id, { 'brand.logo': 1 }, plainRead)) as OwnerDocument | null;
      const { hash, type, bytes } = found?.brand?.logo ?? {};
      return hash && type && bytes ? { hash, type: type as LogoType, bytes } : undefined;
    },
    keepMs: logoCacheMs,
    maxEntries: cachedLogos,
    now,
  });

  async function find(name: string): Promise<Owner | undefined> {
    const found: OwnerDocument | null = await owners.findOne({ name }, withoutLogo, plainRead);
    return found ? toOwner(found) : undefined;
  }

  async function make(name: string): Promise<Owner> {
    for (let tries = 0; tries < idTries; tries += 1) {
      const id = await nextOwnerId();
      const secretOf = (environment: Environment): KeptSecret => {
        return { current: encrypter.encrypt(newSecret(), webhookSecretContext(id, environment, 'current')) };
      };
      const webhookSecrets = { test: secretOf('test'), live: secretOf('live') };
      const owner = { _id: id, name, webhookSecrets, createdAt: now() };
      try {
        await owners.create(owner);
        return toOwner(owner);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // Either somebody else made the owner meanwhile, or the id is taken.
      const winner = await find(name);
      if (winner) return winner;
    }
    throw new Error('no free owner id was found: the counter of owner ids is behind the owners; try again');
  }

  function decryptSecret(
    id: number,
    environment: Environment,
    member: 'current' | 'previous',
    encrypted: Uint8Array,
  ): string {
    return encrypter.decrypt(encrypted, webhookSecretContext(id, environment, member)).toString();
  }

  return {
    async findOrMake(name) {
      if (name.trim() !== name || name === '' || name.length > 200) {
        throw invalidField('owner', name, 'must be a name of 1 to 200 characters without space around it');
      }
      return (await find(name)) ?? (await make(name));
    },

    find,

    async get(ownerId) {
      const owner = await recent.get(ownerId);
      return owner && toOwner(owner);
    },

    async list() {
      const all: OwnerDocument[] = await owners.find({}, withoutLogo, plainRead).sort({ _id: 1 });
      return all.map(toOwner);
    },

    async webhookSecrets(ownerId, environment) {
      const owner = await recent.get(ownerId);
      if (!owner) throw notFound(`owner ${ownerId}`);
      const { current, previous, previousValidUntil } = owner.webhookSecrets[environment];
      const overlaps = previous && previousValidUntil && now() < previousValidUntil;
      return {
        current: decryptSecret(ownerId, environment, 'current', current),
        ...(overlaps && { previous: decryptSecret(ownerId, environment, 'previous', previous) }),
      };
    },

    async secretOverlaps(ownerId) {
      const owner = await recent.get(ownerId);
      if (!owner) throw notFound(`owner ${ownerId}`);
      const endOf = ({ previousValidUntil: end }: KeptSecret): Date | null => (end && now() < end ? end : null);
      return { test: endOf(owner.webhookSecrets.test), live: endOf(owner.webhookSecrets.live) };
    },

    async rotateSecret(name, environment, overlap = {}) {
      const previousValidUntil = readOverlapEnd(overlap, now());
      const secret = newSecret();
      const path = `webhookSecrets.${environment}`;
      for (let left = rotateTries; left > 0; left -= 1) {
        const owner: OwnerDocument | null = await owners.findOne({ name }, withoutLogo, plainRead);
        if (!owner) throw notFound(`owner ${name}`);
        const id = owner._id;
        const replaced = owner.webhookSecrets[environment].current;
        const plain = decryptSecret(id, environment, 'current', replaced);
        const change = {
          current: encrypter.encrypt(secret, webhookSecretContext(id, environment, 'current')),
          previous: encrypter.encrypt(plain, webhookSecretContext(id, environment, 'previous')),
          previousValidUntil,
        };
        // What becomes the previous secret must be the one that this very write replaces.
        const { matchedCount } = await owners.updateOne(
          { _id: id, [`${path}.current`]: replaced },
          { $set: { [path]: change } },
        );
        if (matchedCount === 0) continue;
        recent.forget(id);
        return { ownerId: id, webhookSecret: secret, previousValidUntil };
      }
      throw new Error(`the webhook secret of ${name} kept changing: try again`);
    },

    async logo(ownerId, hash) {
      const kept = await logos.get(ownerId);
      if (kept?.hash === hash) return kept;
      // It may be newer than what is kept.
      if (kept) logos.forget(ownerId);
      const read = kept ? await logos.get(ownerId) : undefined;
      return read?.hash === hash ? read : undefined;
    },

    async setDefaults(name, { notifyUrl, testNotifyUrl, email, reportingCurrency, notificationTypes: types, ...look }) {
      for (const [field, url] of Object.entries({ notifyUrl, testNotifyUrl })) {
        if (typeof url === 'string' && !isWebAddress(url)) {
          throw invalidField(field, url, 'must be an http or https address of at most 2048 characters');
        }
      }
      if (typeof email === 'string' && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email)) {
        throw invalidField('email', email, 'must be an e-mail address');
      }
      if (typeof reportingCurrency === 'string' && !isCurrency(reportingCurrency)) {
        throw invalidField('currency', reportingCurrency, 'must be an active ISO 4217 currency, such as EUR');
      }
      const wrong = types?.find((type) => !(notificationTypes as readonly string[]).includes(type));
      if (wrong !== undefined || types?.length === 0) {
        throw invalidField('types', wrong ?? types, `must be some of ${notificationTypes.join(', ')}`);
      }
      const brand = Object.entries(readBrand(look)).map(([member, value]) => [`brand.${member}`, value] as const);
      const own = { notifyUrl, testNotifyUrl, email, reportingCurrency, notificationTypes: types };
      const given = [...Object.entries(own), ...brand];
      const set = Object.fromEntries(given.filter(([, value]) => value));
      const unset = Object.fromEntries(given.flatMap(([member, value]) => (value === null ? [[member, 1]] : [])));
      const changed: OwnerDocument | null = await owners.findOneAndUpdate(
        { name },
        { $set: set, $unset: unset },
        { ...plainRead, projection: withoutLogo, returnDocument: 'after' },
      );
      if (!changed) throw notFound(`owner ${name}`);
      recent.forget(changed._id);
      return toOwner(changed);
    },

    async listens(ownerId, until) {
      await owners.updateOne({ _id: ownerId }, { $max: { listeningUntil: until } });
      recent.forget(ownerId);
    },

    async deprecationNotice(ownerId) {
      const dayAgo = new Date(now().getTime() - dayMs);
      const known = await recent.get(ownerId);
      if (!known || (known.deprecationNoticeAt && known.deprecationNoticeAt > dayAgo)) return undefined;
      const due: OwnerDocument | null = await owners.findOneAndUpdate(
        {
          _id: ownerId,
          $or: [{ deprecationNoticeAt: { $exists: false } }, { deprecationNoticeAt: { $lte: dayAgo } }],
        },
        { $set: { deprecationNoticeAt: now() } },
        plainRead,
      );
      recent.forget(ownerId);
      return due ? toOwner(due) : undefined;
    },
  };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function toOwner(owner: OwnerDocument): Owner {
  const { _id: id, name, notifyUrl = null, testNotifyUrl = null, email = null, reportingCurrency = null } = owner;
  const notifyUrls = { test: testNotifyUrl, live: notifyUrl };
  const { notificationTypes: types = null, listeningUntil = null, brand, createdAt } = owner;
  return {
    id,
    name,
    notifyUrls,
    email,
    reportingCurrency,
    notificationTypes: types,
    brand: toBrand(brand),
    listeningUntil,
    createdAt,
  };
}

function isWebAddress(text: string): boolean {
  return text.length <= 2048 && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Finds or creates owners (merchants) by name, and changes their webhook secrets, defaults and brand. */
import type { Connection } from 'mongoose';
import { ownerModel } from '../../database/collections/owner.ts';
import type { OwnerDocument } from '../../database/collections/owner.ts';
import type { Environment } from '../../base/environment.ts';
import { invalidField, notFound } from '../../base/errors.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import { toBrand, type Brand, type Logo } from './brand.ts';
import type { LogoType } from './logo-image.ts';
import { readDefaults, type OwnerDefaults } from './owner-defaults.ts';
import { createOwnerRemoval, notRemoved, type OwnerRemoval } from './owner-removal.ts';
import { createReadCache } from './read-cache.ts';
import { createOwnerSecrets, newSecrets, type OwnerSecrets } from './webhook-secrets.ts';

export type { OwnerDefaults } from './owner-defaults.ts';
export type { RotatedSecret, WebhookSecrets } from './webhook-secrets.ts';

export interface Owner {
  readonly id: number;
  readonly name: string;
  /** The address of notifications, per environment, if neither the payment nor its request has one. */
  readonly notifyUrls: Readonly<Record<Environment, string | null>>;
  readonly email: string | null;
  /** The currency of totals. Null: the currency in config. */
  readonly reportingCurrency: string | null;
  /** The types of payment notifications that the owner gets. Null: all. */
  readonly notificationTypes: readonly string[] | null;
  readonly brand: Brand;
  /** The owner uses only accounts of providers that are assigned to it. */
  readonly ownAccountsOnly: boolean;
  /** Until this time, the owner's test events without an address are kept for the event stream. */
  readonly listeningUntil: Date | null;
  readonly createdAt: Date;
}

export interface Owners extends OwnerSecrets, OwnerRemoval<Owner> {
  /**
   * Returns the owner of exactly this name, and creates it if there is none. A removed owner is restored. Throws VAL002
   * `owner` for an invalid name, and while the owner is being removed.
   */
  findOrCreate(name: string): Promise<Owner>;
  /**
   * Creates or restores the owner for one caller only. Undefined: there is an owner of this name. Throws VAL002 like
   * `findOrCreate`.
   */
  createNew(name: string): Promise<Owner | undefined>;
  /** Undefined for a removed owner. */
  find(name: string): Promise<Owner | undefined>;
  /** Returns the owner of this id, also if it was removed. The data may be up to 5 s old. */
  get(ownerId: number): Promise<Owner | undefined>;
  /** Lists all owners that were not removed, oldest first. */
  list(): Promise<Owner[]>;
  /** Throws NF001 for an unknown owner, and VAL002 for an invalid address, currency, type, or part of the brand. */
  setDefaults(name: string, defaults: OwnerDefaults): Promise<Owner>;
  /** May be up to a minute old. Undefined if the owner has no logo of this hash. */
  logo(ownerId: number, hash: string): Promise<Logo | undefined>;
  /** Records until when a listener of the event stream is expected. Other processes know it within 5 s. */
  recordListener(ownerId: number, until: Date): Promise<void>;
  /**
   * Returns the owner if a notice about its old API version is due. In 24 h only one caller of all processes gets it.
   */
  deprecationNotice(ownerId: number): Promise<Owner | undefined>;
}

const dayMs = 86_400_000;
const cacheMs = 5000;
const cachedOwners = 10_000;
const logoCacheMs = 60_000;
const cachedLogos = 200;
// Each try uses the next id, so a few calls get past ids that are in use, even if the counter was lost and restarted.
const idTries = 100;
// Without `promoteBuffers` the driver returns encrypted bytes as a BSON Binary.
const plainRead = { lean: true, promoteBuffers: true } as const;
/** The logo is read separately, because it is larger than everything else of an owner. */
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

  const read = async (name: string): Promise<OwnerDocument | null> =>
    owners.findOne({ name, ...notRemoved }, withoutLogo, plainRead);

  const { restore, ...removal } = createOwnerRemoval({
    owners,
    recent,
    plainRead: { ...plainRead, projection: withoutLogo },
    toOwner,
    now,
  });

  async function find(name: string): Promise<Owner | undefined> {
    const found = await read(name);
    return found ? toOwner(found) : undefined;
  }

  /** `winner`: what is returned if another process created the owner in the meantime. */
  async function create<T>(name: string, winner: (owner: Owner) => T): Promise<Owner | T> {
    for (let tries = 0; tries < idTries; tries += 1) {
      const id = await nextOwnerId();
      const owner = { _id: id, name, webhookSecrets: newSecrets(id, encrypter), createdAt: now() };
      try {
        await owners.create(owner);
        return toOwner(owner);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      // Either another process created the owner in the meantime, or the id is taken.
      const other = await find(name);
      if (other) return winner(other);
    }
    throw new Error('no free owner id was found: the counter of owner ids is behind the owners; try again');
  }

  return {
    async findOrCreate(name) {
      checkOwnerName(name, 'owner');
      return (await find(name)) ?? (await restore(name)) ?? (await create(name, (winner) => winner));
    },

    async createNew(name) {
      checkOwnerName(name, 'name');
      if (await find(name)) return undefined;
      return (await restore(name)) ?? (await create(name, () => undefined));
    },

    find,

    async get(ownerId) {
      const owner = await recent.get(ownerId);
      return owner && toOwner(owner);
    },

    async list() {
      const all: OwnerDocument[] = await owners.find(notRemoved, withoutLogo, plainRead).sort({ _id: 1 });
      return all.map(toOwner);
    },

    ...removal,

    ...createOwnerSecrets({ owners, recent, read, encrypter, now }),

    async logo(ownerId, hash) {
      const kept = await logos.get(ownerId);
      if (kept?.hash === hash) return kept;
      // The wanted logo may be newer than the kept one.
      if (kept) logos.forget(ownerId);
      const read = kept ? await logos.get(ownerId) : undefined;
      return read?.hash === hash ? read : undefined;
    },

    async setDefaults(name, defaults) {
      const { set, unset } = readDefaults(defaults);
      const changed: OwnerDocument | null = await owners.findOneAndUpdate(
        { name, ...notRemoved },
        { $set: set, $unset: unset },
        { ...plainRead, projection: withoutLogo, returnDocument: 'after' },
      );
      if (!changed) throw notFound(`owner ${name}`);
      recent.forget(changed._id);
      return toOwner(changed);
    },

    async recordListener(ownerId, until) {
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

/** Throws VAL002 with the name of the field. */
export function checkOwnerName(name: string, field: string): void {
  if (name.trim() !== name || name === '' || name.length > 200)
    throw invalidField(field, name, 'must be a name of 1 to 200 characters without space around it');
}

function toOwner(owner: OwnerDocument): Owner {
  const { _id: id, name, notifyUrl = null, testNotifyUrl = null, email = null, reportingCurrency = null } = owner;
  const notifyUrls = { test: testNotifyUrl, live: notifyUrl };
  const { notificationTypes: types = null, listeningUntil = null, brand, ownAccountsOnly = false, createdAt } = owner;
  return {
    id,
    name,
    notifyUrls,
    email,
    reportingCurrency,
    notificationTypes: types,
    brand: toBrand(brand),
    ownAccountsOnly,
    listeningUntil,
    createdAt,
  };
}

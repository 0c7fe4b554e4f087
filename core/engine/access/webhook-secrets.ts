/** Creates, decrypts and rotates the webhook secrets of owners. */
import { randomBytes } from 'node:crypto';
import type { Model } from 'mongoose';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import type { Environment } from '../../base/environment.ts';
import { notFound } from '../../base/errors.ts';
import type { KeptSecret, OwnerDocument } from '../../database/collections/owner.ts';
import { webhookSecretContext } from '../../database/encryption-context.ts';
import { readOverlapEnd, type Overlap } from './overlap.ts';
import type { ReadCache } from './read-cache.ts';

/** Whole secrets, including `whsec_`. */
export interface WebhookSecrets {
  readonly current: string;
  /** The previous secret, during the overlap of a rotation. */
  readonly previous?: string;
}

export interface RotatedSecret {
  readonly ownerId: number;
  readonly webhookSecret: string;
  readonly previousValidUntil: Date;
}

export interface OwnerSecrets {
  /**
   * Returns the secrets that sign notifications. A rotation in another process takes effect within 5 s. Throws NF001
   * for an unknown owner.
   */
  webhookSecrets(ownerId: number, environment: Environment): Promise<WebhookSecrets>;
  /**
   * Returns, per environment, until when the previous secret signs too. Null if it does not. Throws NF001 like
   * `webhookSecrets`.
   */
  secretOverlaps(ownerId: number): Promise<Readonly<Record<Environment, Date | null>>>;
  /**
   * Creates a new secret. The current secret stays valid during the overlap; an earlier secret becomes invalid. Throws
   * NF001 like `webhookSecrets`.
   */
  rotateSecret(name: string, environment: Environment, overlap?: Overlap): Promise<RotatedSecret>;
}

export interface OwnerSecretsDeps {
  readonly owners: Model<OwnerDocument>;
  readonly recent: ReadCache<number, OwnerDocument>;
  /** Reads an owner by its name. */
  readonly read: (name: string) => Promise<OwnerDocument | null>;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
}

const rotateTries = 20;

/** The secrets of a new owner, encrypted. */
export function newSecrets(id: number, encrypter: Encrypter): Record<Environment, KeptSecret> {
  const secretOf = (environment: Environment): KeptSecret => ({
    current: encrypter.encrypt(newSecret(), webhookSecretContext(id, environment, 'current')),
  });
  return { test: secretOf('test'), live: secretOf('live') };
}

export function createOwnerSecrets({ owners, recent, read, encrypter, now }: OwnerSecretsDeps): OwnerSecrets {
  async function secretsOf(ownerId: number): Promise<OwnerDocument['webhookSecrets']> {
    const owner = await recent.get(ownerId);
    if (!owner) throw notFound(`owner ${ownerId}`);
    return owner.webhookSecrets;
  }

  function decrypt(
    id: number,
    environment: Environment,
    member: 'current' | 'previous',
    encrypted: Uint8Array,
  ): string {
    return encrypter.decrypt(encrypted, webhookSecretContext(id, environment, member)).toString();
  }

  return {
    async webhookSecrets(ownerId, environment) {
      const { current, previous, previousValidUntil } = (await secretsOf(ownerId))[environment];
      const overlaps = previous && previousValidUntil && now() < previousValidUntil;
      return {
        current: decrypt(ownerId, environment, 'current', current),
        ...(overlaps && { previous: decrypt(ownerId, environment, 'previous', previous) }),
      };
    },

    async secretOverlaps(ownerId) {
      const { test, live } = await secretsOf(ownerId);
      const endOf = ({ previousValidUntil: end }: KeptSecret): Date | null => (end && now() < end ? end : null);
      return { test: endOf(test), live: endOf(live) };
    },

    async rotateSecret(name, environment, overlap = {}) {
      const previousValidUntil = readOverlapEnd(overlap, now());
      const secret = newSecret();
      const path = `webhookSecrets.${environment}`;
      for (let left = rotateTries; left > 0; left -= 1) {
        const owner = await read(name);
        if (!owner) throw notFound(`owner ${name}`);
        const id = owner._id;
        const replaced = owner.webhookSecrets[environment].current;
        const plain = decrypt(id, environment, 'current', replaced);
        const change = {
          current: encrypter.encrypt(secret, webhookSecretContext(id, environment, 'current')),
          previous: encrypter.encrypt(plain, webhookSecretContext(id, environment, 'previous')),
          previousValidUntil,
        };
        // The write must replace exactly the secret that it stores as the previous one.
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
  };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

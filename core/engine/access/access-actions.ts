/** Actions of operators on merchants, their keys, and the keys of operators. Each one is audited. */
import { changesOf, type Actor, type Audit } from '../audit/index.ts';
import type { Environment } from '../../base/environment.ts';
import { notFound } from '../../base/errors.ts';
import type { CreatedKey, Keys, KeyView, NewKey, RotatedKey } from './key.ts';
import type { CreatedOperator, Operators } from './operators.ts';
import type { Overlap } from './overlap.ts';
import type { Owner, OwnerDefaults, Owners, RotatedSecret } from './owners.ts';
import { withoutQuery } from '../../base/text/without-query.ts';

/** The functions reject for the same reasons as the functions of `Keys`, `Owners` and `Operators`. */
export interface AccessActions {
  createKey(by: Actor, input: NewKey): Promise<CreatedKey>;
  revokeKey(by: Actor, keyId: string): Promise<void>;
  rotateKey(by: Actor, keyId: string, overlap?: Overlap): Promise<RotatedKey>;
  limitKey(by: Actor, keyId: string, limit: number): Promise<void>;
  setOwner(by: Actor, name: string, defaults: OwnerDefaults): Promise<Owner>;
  rotateSecret(by: Actor, name: string, environment: Environment, overlap?: Overlap): Promise<RotatedSecret>;
  /** Returns the present webhook secret. Throws NF001 for an unknown owner. */
  showSecret(by: Actor, name: string, environment: Environment): Promise<string>;
  createOperator(by: Actor, input: Parameters<Operators['create']>[0]): Promise<CreatedOperator>;
  revokeOperator(by: Actor, keyId: string): Promise<void>;
}

export interface AccessActionsDeps {
  readonly keys: Pick<Keys, 'create' | 'get' | 'revoke' | 'rotate' | 'setLimit'>;
  readonly owners: Pick<Owners, 'find' | 'setDefaults' | 'rotateSecret' | 'webhookSecrets'>;
  readonly operators: Pick<Operators, 'create' | 'list' | 'revoke'>;
  readonly audit: Pick<Audit, 'run'>;
}

export function createAccessActions({ keys, owners, operators, audit }: AccessActionsDeps): AccessActions {
  /** Runs an action that changes an existing key. */
  async function changeKey<T>(
    by: Actor,
    act: 'key.revoke' | 'key.rotate' | 'key.limit',
    keyId: string,
    change: () => Promise<T>,
  ): Promise<T> {
    const before = await keys.get(keyId);
    return audit.run(by, { act, subject: { type: 'key', id: keyId } }, async () => {
      const value = await change();
      return { value, ...changesOf(settingsOf(before), settingsOf(await keys.get(keyId))) };
    });
  }

  return {
    async createKey(by, input) {
      const subject = { type: 'owner', id: input.owner };
      return audit.run(by, { act: 'key.create', subject }, async () => {
        const value = await keys.create(input);
        const { keyId, environment, scopes, limit, expiresAt } = await keys.get(value.keyId);
        return { value, after: { keyId, environment, scopes, limit, expiresAt } };
      });
    },

    revokeKey: async (by, keyId) => changeKey(by, 'key.revoke', keyId, async () => keys.revoke(keyId)),
    rotateKey: async (by, keyId, overlap) =>
      changeKey(by, 'key.rotate', keyId, async () => keys.rotate(keyId, overlap)),
    limitKey: async (by, keyId, limit) => changeKey(by, 'key.limit', keyId, async () => keys.setLimit(keyId, limit)),

    async setOwner(by, name, defaults) {
      const before = await owners.find(name);
      return audit.run(by, { act: 'owner.set', subject: { type: 'owner', id: name } }, async () => {
        const value = await owners.setDefaults(name, defaults);
        return { value, ...changedDefaults(before, value) };
      });
    },

    async rotateSecret(by, name, environment, overlap) {
      const subject = { type: 'owner', id: name };
      return audit.run(by, { act: 'secret.rotate', subject, plan: { environment } }, async () => {
        const value = await owners.rotateSecret(name, environment, overlap);
        return { value, after: { environment, previousValidUntil: value.previousValidUntil } };
      });
    },

    async showSecret(by, name, environment) {
      const owner = await owners.find(name);
      if (!owner) throw notFound(`owner ${name}`);
      const subject = { type: 'owner', id: name };
      return audit.run(by, { act: 'secret.show', subject, plan: { environment } }, async () => {
        const { current } = await owners.webhookSecrets(owner.id, environment);
        return { value: current, after: { environment } };
      });
    },

    async createOperator(by, input) {
      return audit.run(by, { act: 'operator.create', subject: { type: 'operator', id: input.name } }, async () => {
        const value = await operators.create(input);
        const { expiresAt } = input;
        return { value, after: { keyId: value.keyId, role: value.role, ...(expiresAt && { expiresAt }) } };
      });
    },

    async revokeOperator(by, keyId) {
      const before = (await operators.list()).find((one) => one.keyId === keyId);
      if (!before) return operators.revoke(keyId); // This throws the error for an unknown key.
      const { name, role, state } = before;
      return audit.run(by, { act: 'operator.revoke', subject: { type: 'operator', id: name } }, async () => {
        await operators.revoke(keyId);
        return { value: undefined, before: { keyId, role, state }, after: { keyId, role, state: 'revoked' } };
      });
    },
  };
}

/** The settings that differ, before and after. Without an owner before: the settings of a new owner. */
export function changedDefaults(before: Owner | undefined, after: Owner): { before: object; after: object } {
  return changesOf(before ? defaultsOf(before) : {}, defaultsOf(after));
}

function settingsOf({ state, limit, expiresAt, revokedAt }: KeyView): object {
  return { state, limit, expiresAt, revokedAt };
}

function defaultsOf(owner: Owner): object {
  const { notifyUrls, email, reportingCurrency, notificationTypes, brand, ownAccountsOnly } = owner;
  const { live, test } = notifyUrls;
  return {
    // A query may hold a token.
    notifyUrl: live === null ? null : withoutQuery(live),
    testNotifyUrl: test === null ? null : withoutQuery(test),
    email,
    reportingCurrency,
    notificationTypes,
    ...brand,
    logo: brand.logo?.hash ?? null,
    ownAccountsOnly,
  };
}

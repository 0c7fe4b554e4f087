/** Signs a recorded webhook again as Adyen does: each item with the current key, sent under the current password. */
import {
  basicAuthorization,
  isJsonObject,
  readAs,
  readJsonObject,
  stringifyExact,
  type RawCallback,
} from '@paywright/contract';
import type { Options } from '../options.ts';
import { itemSignature, SignedMembers } from '../signing.ts';

export function signCallback(raw: RawCallback, options: Options): RawCallback {
  const headers = raw.headers.map(([name, value]): readonly [string, string] => {
    const isSecret = name.toLowerCase() === 'authorization';
    return [name, isSecret ? basicAuthorization(options.webhookUser, options.webhookPasswords[0] ?? '') : value];
  });
  const message = readJsonObject(raw.body);
  const items = message?.['notificationItems'];
  if (!Array.isArray(items)) return { ...raw, headers };
  const notificationItems = items.map((wrapped: unknown) => signItem(wrapped, options));
  return { ...raw, headers, body: Buffer.from(stringifyExact({ ...message, notificationItems })) };
}

function signItem(wrapped: unknown, { hmacKeys }: Options): unknown {
  const item = isJsonObject(wrapped) ? wrapped['NotificationRequestItem'] : undefined;
  const signed = readAs(SignedMembers, item);
  if (!signed || !isJsonObject(item)) return wrapped;
  const data = isJsonObject(item['additionalData']) ? item['additionalData'] : {};
  const hmacSignature = itemSignature(hmacKeys[0] ?? '', signed).toString('base64');
  return { NotificationRequestItem: { ...item, additionalData: { ...data, hmacSignature } } };
}

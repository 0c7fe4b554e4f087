/** Basic authentication (RFC 7617) in UTF-8. */
import { onlyHeader, type RawCallback } from '../callback.ts';
import { hash, readBase64, verifyWithAny } from './signatures.ts';

/** The value of the header `Authorization`. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(credentials(user, password)).toString('base64')}`;
}

/**
 * True if the only `Authorization` header names the user and one of the passwords. A user name holds no colon, so the
 * whole text can be compared. The comparison uses its hash, so that not even the length of a password shows in the time
 * taken.
 */
export function isBasicOf(message: Pick<RawCallback, 'headers'>, user: string, passwords: readonly string[]): boolean {
  const given = /^basic +(\S+)$/i.exec(onlyHeader(message, 'Authorization') ?? '')?.[1];
  const bytes = given === undefined ? undefined : readBase64(given);
  const digestOf = (password: string): Buffer => hash('sha256', credentials(user, password));
  return verifyWithAny(passwords, bytes && hash('sha256', bytes), digestOf) !== undefined;
}

function credentials(user: string, password: string): string {
  return `${user}:${password}`;
}

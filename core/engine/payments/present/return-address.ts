/**
 * The address to which a payer's browser returns: `/pay/{id}?r=…`. The part `r` is stable for the payment and cannot be
 * guessed.
 */
import { sameText, type Acknowledgement } from '@paywright/contract';
import type { Encrypter } from '../../../base/crypto/encryption.ts';

export interface ReturnAddresses {
  of(paymentRequestId: string | number): string;
  partOf(paymentRequestId: string | number): string;
  isPartOf(paymentRequestId: string | number, given: string): boolean;
  /**
   * If an answer to a genuine callback leads the browser to this payment's page by its plain address, returns the
   * answer with the full address.
   */
  complete(answer: Acknowledgement, mayName: (paymentRequestId: string) => boolean): Acknowledgement;
}

/** 96 bits in base64url. */
const partLength = 16;

export function createReturnAddresses(encrypter: Pick<Encrypter, 'fingerprint'>, publicUrl: string): ReturnAddresses {
  const partOf = (id: string | number): string =>
    Buffer.from(encrypter.fingerprint(`return ${id}`), 'hex')
      .toString('base64url')
      .slice(0, partLength);
  const page = `${publicUrl}/pay/`;

  return {
    of: (id) => `${page}${id}?r=${partOf(id)}`,
    partOf,
    isPartOf: (id, given) => sameText(given, partOf(id)),
    complete(answer, mayName) {
      const { Location: location = '' } = answer.headers ?? {};
      const [, id, query] =
        /^(\d+)(?:\?(.*))?$/.exec(location.startsWith(page) ? location.slice(page.length) : '') ?? [];
      if (answer.status !== 303 || id === undefined || !mayName(id)) return answer;
      const whole = `${page}${id}?r=${partOf(id)}${query ? `&${query}` : ''}`;
      return { ...answer, headers: { ...answer.headers, Location: whole } };
    },
  };
}

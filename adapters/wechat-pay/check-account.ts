/** Checks whether WeChat Pay accepts our signature, and whether our APIv3 key opens its messages. */
import type { Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { certificatesRequest, openCertificate, readCertificates } from './signing.ts';
import { orderErrors } from './wire.ts';

export const checkAccount: Ability<'checkAccount', Options> = async (ctx) => {
  const { options } = ctx;
  const reply = await ctx.http.send(certificatesRequest(ctx));
  const { code, named } = orderErrors.read(reply);
  if (reply.status === 401) return [{ ok: false, finding: named, cure: 'check mchid and merchantKey' }];
  const hasPublicKey = options.platformKeys.some(({ serial }) => serial.startsWith('PUB_KEY_ID_'));
  if (reply.status === 404 && code === 'RESOURCE_NOT_EXISTS') {
    const finding = 'WeChat Pay signs with its public key, and has no platform certificate for this account';
    if (hasPublicKey) return [{ ok: true, finding }];
    return [{ ok: false, finding, cure: 'list that key in platformKeys: Account centre, API security' }];
  }
  const certificates = readCertificates(reply);
  if (!certificates) return [{ ok: false, finding: named, cure: 'run the check again later' }];
  const isOpened = certificates.every((one) => openCertificate(options, one) !== undefined);
  return [
    { ok: true, finding: 'WeChat Pay accepts our signature' },
    isOpened
      ? { ok: true, finding: `the APIv3 key opens all ${certificates.length} platform certificates` }
      : { ok: false, finding: 'no APIv3 key opens the platform certificates', cure: 'check apiV3Keys' },
  ];
};

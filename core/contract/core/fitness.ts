/** What core refuses by the manifest, before it calls a provider. */
import type { Manifest } from '../adapter.ts';
import { fitsCurrency, type Money } from '../money/money.ts';
import { readMinor } from '../money/minor-bound.ts';
import { nothingCharged, type FailedOutcome } from '../outcome.ts';
import type { StoredPayment } from '../payment.ts';

/** True if the currency can express the amount, and the provider accepts so many digits. */
export function fitsManifest(manifest: Pick<Manifest<never>, 'maxMinorDigits'>, money: Money): boolean {
  const { maxMinorDigits } = manifest;
  return fitsCurrency(money) && (maxMinorDigits === undefined || readMinor(money, maxMinorDigits) !== undefined);
}

/** The reason why core does not submit; undefined if it may. */
export function refuseSubmission(
  manifest: Pick<Manifest<never>, 'title' | 'maxMinorDigits'>,
  { money }: { readonly money: Money },
): FailedOutcome | undefined {
  return fitsManifest(manifest, money) ? undefined : nothingCharged(unfit(manifest, money));
}

/** The reason why core does not ask for a refund; undefined if it may. */
export function refuseRefund(
  manifest: Pick<Manifest<never>, 'title' | 'maxMinorDigits' | 'refundNeeds'>,
  { providerReference }: Pick<StoredPayment, 'providerReference'>,
  { money }: { readonly money: Money },
): FailedOutcome | undefined {
  if (manifest.refundNeeds && providerReference === undefined) {
    return nothingCharged(`no reference of ${manifest.title} to refund`);
  }
  return fitsManifest(manifest, money) ? undefined : nothingCharged(unfit(manifest, money));
}

function unfit({ title }: Pick<Manifest<never>, 'title'>, { currency }: Money): string {
  return `${title} cannot express the amount in ${currency}`;
}

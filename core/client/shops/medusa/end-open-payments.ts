/**
 * The handler of a hook of Medusa that runs before a cart's total changes. Without it Medusa first changes the total of
 * the cart's payments, then deletes the sessions, and does not change the total back if a session is paid.
 */
import type { BigNumberInput, IPaymentModuleService, MedusaContainer } from '@medusajs/framework/types';
import { MathBN, Modules } from '@medusajs/framework/utils';
import { PaywrightProvider, runningProviders } from './provider.ts';

interface ChangedCart {
  readonly currency_code: string;
  readonly raw_total: BigNumberInput;
  readonly payment_collection?: {
    readonly currency_code: string;
    readonly raw_amount: BigNumberInput;
    readonly payment_sessions?: readonly { readonly id: string }[];
  } | null;
}

/**
 * Cancels the open payment requests of a cart whose total changes. Throws if one is paid or in progress: the cart then
 * stays as it is.
 */
export async function endOpenPayments(
  { cart }: { readonly cart: unknown },
  { container }: { readonly container: MedusaContainer },
): Promise<void> {
  const { currency_code: currency, raw_total: total, payment_collection: collection } = cart as ChangedCart;
  const ids = collection?.payment_sessions?.map(({ id }) => id) ?? [];
  if (!collection || ids.length === 0) return;
  if (collection.currency_code === currency && MathBN.eq(collection.raw_amount, total)) return;
  const payments = container.resolve<IPaymentModuleService>(Modules.PAYMENT);
  const sessions = await payments.listPaymentSessions({ id: ids }, { select: ['id', 'provider_id', 'data'] });
  const ours = sessions.filter(({ provider_id: provider }) =>
    provider.startsWith(`pp_${PaywrightProvider.identifier}`),
  );
  for (const { data } of ours) {
    // A provider does not know its own id in the config, and leaves alone what it does not find at its gateway.
    for (const provider of runningProviders) await provider.deletePayment({ data });
  }
}

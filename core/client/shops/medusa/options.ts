/** The options of the provider in `medusa-config.ts`. */
import { MedusaError } from '@medusajs/framework/utils';

export interface PaywrightOptions {
  /** The address of the gateway, such as `https://pay.example`. */
  readonly baseUrl: string;
  /** `gk_test_…` or `gk_live_…`. */
  readonly apiKey: string;
  /** `whsec_…`; during a rotation several secrets, in any order. */
  readonly webhookSecret: string | readonly string[];
  /**
   * The storefront's page to which a payer returns, paid or not. It completes the cart, and Medusa asks the gateway.
   * `{paymentRequestId}` and `{referenceId}` (the id of the payment session) are replaced.
   */
  readonly returnUrl: string;
  /** The address of Medusa's webhook route. Default: the default address of the key's merchant at the gateway. */
  readonly notifyUrl?: string;
  /**
   * What happens with money that the bank only reserved: `automatic` captures it before the order is placed, `manual`
   * leaves that to the shop's staff. Default: `automatic`. Whether the bank reserves or charges is a setting of the
   * account at the payment provider.
   */
  readonly capture?: 'automatic' | 'manual';
  /** The account at the payment provider: `<adapter>/<account>`. Default: chosen by the gateway's rules. */
  readonly providerAccount?: string;
}

const texts = ['baseUrl', 'apiKey', 'returnUrl'] as const;
const optionalTexts = ['notifyUrl', 'providerAccount'] as const;

/** Returns the options. Throws a MedusaError that names every wrong option, and no value. */
export function readOptions(given: Readonly<Record<string, unknown>> = {}): PaywrightOptions {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const isUrl = (value: unknown): boolean => isText(value) && /^https?:\/\/./.test(String(value));
  const secrets = [given['webhookSecret']].flat();
  const wrong = [
    ...texts.filter((name) => !isText(given[name])).map((name) => `${name} is missing`),
    ...optionalTexts
      .filter((name) => given[name] !== undefined && !isText(given[name]))
      .map((name) => `${name} is empty`),
    ...(['baseUrl', 'returnUrl', 'notifyUrl'] as const)
      .filter((name) => isText(given[name]) && !isUrl(given[name]))
      .map((name) => `${name} is not an http or https address`),
    ...(secrets.length > 0 && secrets.every((one) => isText(one) && String(one).startsWith('whsec_'))
      ? []
      : ['webhookSecret is not whsec_… (a text or a list)']),
    ...([undefined, 'automatic', 'manual'].includes(given['capture'] as string | undefined)
      ? []
      : ['capture is not "automatic" or "manual"']),
  ];
  if (wrong.length > 0) {
    throw new MedusaError(
      MedusaError.Types.INVALID_ARGUMENT,
      `Options of @paywright/medusa: ${wrong.join(', ')}. Correct them in medusa-config.ts.`,
    );
  }
  return given as unknown as PaywrightOptions;
}

/** Settings needed to call PayPal, and to verify its webhooks. */
import { X509Certificate } from 'node:crypto';
import { baseUrl, described, filled, oneOrMore, oneToThree, secret, v, type AdapterContext } from '@paywright/contract';

const webhookId = v.pipe(v.string(), v.regex(/^[A-Z0-9]{8,50}$/, '8 to 50 capital letters and digits'));
const certificate = v.pipe(v.string(), v.check(isAuthority, 'the certificate of a certificate authority, in PEM'));

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'https://api-m.paypal.com'),
  sandboxBaseUrl: described(baseUrl, 'https://api-m.sandbox.paypal.com'),
  certificateBaseUrl: described(
    baseUrl,
    'The address of the certificates that webhooks name: https://api.paypal.com, in sandboxOptions https://api.sandbox.paypal.com.',
  ),
  clientId: described(
    filled,
    'Client ID of the app of this side. PayPal Developer Dashboard, Apps & Credentials, Live or Sandbox.',
  ),
  clientSecret: described(secret(16), 'Secret of the same app, next to its client ID.'),
  webhookIds: described(
    oneToThree(webhookId, 'ids'),
    'Webhook IDs of {publicUrl}/callbacks/paypal, newest first: each signature covers one of them. PayPal Developer Dashboard, the app, Webhooks.',
  ),
  verifyBy: described(
    v.optional(v.picklist(['certificate', 'call']), 'certificate'),
    'certificate: the gateway verifies a webhook with the certificate that the webhook names. call: the gateway asks PayPal about each webhook. Your choice.',
  ),
  certificateAuthorities: described(
    v.optional(oneOrMore(certificate, 'certificates')),
    'Certificates of authorities, in PEM, one of which must have issued PayPal’s certificate. If left out: any certificate that PayPal’s host delivers over TLS. Your choice.',
  ),
  intent: described(
    v.optional(v.picklist(['capture', 'authorize']), 'capture'),
    'capture: a payment is charged when the payer has approved it. authorize: its money is reserved until it is captured or released. Your choice.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false; // Node has no other check of the form.
  }
}

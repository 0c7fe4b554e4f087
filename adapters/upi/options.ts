/** The options that an operator sets for the switch. */
import { baseUrl, described, secret, v, wholeBetween, type AdapterContext } from '@paywright/contract';

const index = v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,2}$/, 'a key index: 1 to 999 without leading zero'));

const Entries = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. Switch console, Integration, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. Switch console, Integration, Addresses.'),
  merchantId: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9]+$/, 'letters and digits')),
    'Merchant account; `mid` in every message. Switch console, Merchant, Profile.',
  ),
  salts: described(
    v.record(index, secret()),
    'Secret salts by key index; during a rotation two. Switch console, Integration, Salts.',
  ),
  saltIndex: described(
    v.string(),
    'Index of the salt for what we send: one of `salts`. Switch console, Integration, Salts.',
  ),
  ttlSeconds: described(
    v.optional(wholeBetween(60, 3600, 'seconds'), 600),
    'How long the payer may take, in seconds: 60 to 3600. Ours to choose.',
  ),
});

export const Options = v.pipe(
  Entries,
  v.forward(
    v.partialCheck(
      [['salts'], ['saltIndex']],
      ({ salts, saltIndex }) => Object.hasOwn(salts, saltIndex),
      'one of the key indexes of salts',
    ),
    ['saltIndex'],
  ),
);
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/**
 * Provider F, a redirect e-wallet: a deal is created, the payer confirms it at the wallet, F's ping only says which
 * deal changed, a fetch reads the change, and F is notified that it was seen. Protocol: README.md; samples:
 * fixtures/vectors.json.
 */
// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
// cspell:ignore monedero carteira electr eletr
import { defineAdapter, statusTable } from '@paywright/contract';
import { callback } from './callbacks/provider-f.ts';
import { close } from './close.ts';
import { fetchStatus } from './fetch-status.ts';
import { markSeen } from './mark-seen.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, statuses } from './statuses.ts';
import { payerFields, submit } from './submit.ts';

export default defineAdapter({
  manifest: {
    name: 'provider-f',
    title: 'Provider F',
    code: 15,
    contract: '^2.0',
    inputs: ['billing'],
    ways: [
      {
        method: 'ewallet_redirect',
        title: 'E-wallet',
        titles: {
          es: 'Monedero electrónico',
          pt: 'Carteira eletrónica',
          de: 'E-Wallet',
          hi: 'ई-वॉलेट',
          ar: 'محفظة إلكترونية',
        },
        threeDs: 'by_other_means',
        payerFields,
        unfinishedStep: 'close',
      },
    ],
    currencies: 'any',
    options: Options,
    accountKey: ({ shopId }) => shopId,
    declines,
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same Idempotency-Key and body gets the deal in its current state.',
    console: ['Pings, Address: {publicUrl}/callbacks/providerF'],
  },
  submit,
  fetchStatus,
  refund,
  close,
  markSeen,
  callbacks: [callback],
  mapStatus: statusTable(statuses),
});

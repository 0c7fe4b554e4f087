/** Checks the settings of an adapter before any request is made. */
import type { ActiveAdapter } from './load/load-adapters.ts';
import type { Finding } from './check-reach.ts';

/** Returns the problems of the settings. The list is empty if there are none. */
export function checkSettings(
  active: Pick<ActiveAdapter, 'ref' | 'options' | 'takesTestPayments' | 'isStored'>,
  isProduction: boolean,
): readonly Finding[] {
  const { ref, takesTestPayments, isStored } = active;
  const place = isStored ? `with paywright accounts set ${ref} --sandbox-options <file>` : 'in sandboxOptions';
  const unsigned = unsignedPings(active, isProduction);
  return [
    ...(takesTestPayments
      ? []
      : [
          {
            state: 'warn',
            part: 'settings',
            text: `${ref}: accepts no test payments: test and live mode share a secret; set a different value ${place}`,
          } as const,
        ]),
    ...(unsigned === undefined ? [] : [{ state: 'wrong', part: 'settings', text: unsigned } as const]),
  ];
}

/** Unsigned pings make us send requests to the provider. In production they must be signed. */
function unsignedPings({ ref, options }: Pick<ActiveAdapter, 'ref' | 'options'>, isProduction: boolean) {
  const isUnsigned = 'requireSignedPing' in options && options.requireSignedPing === false;
  if (!isProduction || !isUnsigned) return undefined;
  return `${ref}: requireSignedPing is false: make the provider sign its pings, then set it to true`;
}

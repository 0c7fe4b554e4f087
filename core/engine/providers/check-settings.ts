/** What is to be known of an adapter's settings before anybody is asked. */
import type { ActiveAdapter } from './load/load-adapters.ts';
import type { Finding } from './check-reach.ts';

/** None where they are right. */
export function checkSettings(
  active: Pick<ActiveAdapter, 'name' | 'options' | 'takesTestPayments'>,
  isProduction: boolean,
): readonly Finding[] {
  const { name, takesTestPayments } = active;
  const unsigned = unsignedPings(active, isProduction);
  return [
    ...(takesTestPayments
      ? []
      : [
          {
            state: 'warn',
            text: `${name}: accepts no test payments: a secret of its options serves both sides; give each another value in sandboxOptions`,
          } as const,
        ]),
    ...(unsigned === undefined ? [] : [{ state: 'wrong', text: unsigned } as const]),
  ];
}

/** What anybody can send makes us ask the provider: in production somebody must prove it. */
function unsignedPings({ name, options }: Pick<ActiveAdapter, 'name' | 'options'>, isProduction: boolean) {
  const isUnsigned = 'requireSignedPing' in options && options.requireSignedPing === false;
  if (!isProduction || !isUnsigned) return undefined;
  return `${name}: requireSignedPing is false: let the provider sign its pings, then set it to true`;
}

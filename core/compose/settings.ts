/** What the domain needs to know of the settings, in its own words. */
import { addDecimals, compareDecimals, decimalsOf, multiplyDecimals } from '@gateway/contract';
import type { Config } from '../../config/schema.ts';
import type { RunConfig } from '../gateway.ts';
import type { FeeOf } from '../payments/state/decide.ts';
import type { AdapterEntry } from '../providers/index.ts';
import type { States } from '../providers/states/adapter-states.ts';

/** What config lists, in the states that are in force. */
export function adapterEntries({ config, adapterDirs, root }: RunConfig, states: States): AdapterEntry[] {
  return Object.entries(config.adapters).map(([name, { package: packageName, state, options }]) => {
    return { name, package: packageName, state: states[name] ?? state, options, from: adapterDirs[name] ?? root };
  });
}

/** What the config files say of each adapter. */
export function fileStates({ adapters }: Config): States {
  return Object.fromEntries(Object.entries(adapters).map(([name, { state }]) => [name, state]));
}

/** What the operator opened of each adapter's currencies; where all are open, nothing is narrowed. */
export function openCurrencies({ adapters, payments }: Config): Record<string, readonly string[]> {
  if (payments.openAllCurrencies) return {};
  return Object.fromEntries(
    Object.entries(adapters).flatMap(([name, { currencies }]) => (currencies ? [[name, currencies]] : [])),
  );
}

/** Percent and fixed part by adapter, exact, rounded half up to the currency's decimals, never more than was paid. */
export function createFeeOf({ adapters }: Config): FeeOf {
  return ({ adapter, amount, currency }) => {
    const fee = adapters[adapter]?.fee;
    if (!fee) return '0';
    const rate = multiplyDecimals(fee.percent, '0.01', 18);
    const total = addDecimals(multiplyDecimals(amount, rate, decimalsOf(currency)), fee.fixed[currency] ?? '0');
    return compareDecimals(total, amount) > 0 ? amount : total;
  };
}

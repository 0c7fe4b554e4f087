/** What a kind of difference is called, what it means, and what to do about it: for pages, commands and alarms. */
import { differenceKinds, type DifferenceKind, type SettlementRun } from '../database/collections/settlement-run.ts';

export const differenceTexts: Readonly<
  Record<DifferenceKind, { readonly name: string; readonly meaning: string; readonly cure: string }>
> = {
  missing_here: {
    name: 'Not in gateway',
    meaning: 'The file has a movement of money that the gateway does not have.',
    cure:
      'Check the status of the payment now, if there is one: the provider may have reported it late. Otherwise look for ' +
      'the reference at the provider. Another system may use the same account.',
  },
  missing_there: {
    name: 'Not in file',
    meaning: 'The gateway has a movement of money in the period of the file that the file does not have.',
    cure:
      'Check the dates of the file first. A movement near the end of the period may be in the next file. If it is in ' +
      'none, ask the provider for it, with its reference.',
  },
  amount: {
    name: 'Amount differs',
    meaning: 'Both have the movement, with different amounts.',
    cure:
      'Open the payment and compare its captures and refunds with the page of the provider. Ask the provider for the ' +
      'reason before you refund or correct anything.',
  },
  fee: {
    name: 'Fee differs',
    meaning: 'The provider kept a fee other than the one in the config.',
    cure: 'Correct the fee of the provider in the config if its prices changed. Otherwise ask the provider.',
  },
  currency: {
    name: 'Currency differs',
    meaning: 'Both have the movement, in different currencies. The amounts are not compared.',
    cure: 'The provider may have converted the money. Map the columns of the currency that the payer paid in.',
  },
};

/** For example `3 not in gateway, 1 amount differs`. */
export function countsText(counts: Readonly<Partial<Record<DifferenceKind, number>>>): string {
  return differenceKinds
    .flatMap((kind) => (counts[kind] ? [`${counts[kind]} ${differenceTexts[kind].name.toLowerCase()}`] : []))
    .join(', ');
}

export function differenceCountText(count: number): string {
  return `${count} ${count === 1 ? 'difference' : 'differences'}`;
}

/** Why the fees of a run were not compared: which of the two that this needs was missing. */
export function feesText({ adapter, mapping }: Pick<SettlementRun, 'adapter' | 'mapping'>): string {
  const setting = `adapters.${adapter}.fee`;
  // An earlier version stored no mapping.
  if (mapping === undefined) return `this needs ${setting} in the config, and a column of fees in the file`;
  const { columns } = JSON.parse(mapping) as { readonly columns?: { readonly fee?: unknown } };
  return columns?.fee === undefined
    ? 'no column of the file is mapped to the fee'
    : `the config has no fee for this provider (${setting})`;
}

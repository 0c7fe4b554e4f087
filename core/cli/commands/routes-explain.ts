import { isDecimal } from '@paywright/contract';
import { explainedInputs, type OpenAccounts, type RouteQuestion } from '../../engine/payments/submit/explain-route.ts';
import type { AccountUser } from '../../engine/providers/index.ts';
import { explainHere } from '../explain-here.ts';
import { json } from '../json.ts';
import { defineCommand, readWord, required, UsageError, type Shell } from '../command.ts';
import { url, withManagement } from '../management.ts';
import { findOwner } from '../owner-id.ts';
import { withDatabase } from '../with-database.ts';

export const routesExplain = defineCommand({
  options: {
    input: { type: 'string', value: '<kind>', help: `${explainedInputs.join(', ')} (default: card)` },
    amount: { type: 'string', value: '<decimal>', help: 'required' },
    unit: { type: 'string', value: '<currency>', help: 'required' },
    country: { type: 'string', value: '<code>', help: 'the country of the payer, two letters (default: PT)' },
    bin: { type: 'string', value: '<digits>', help: 'the first digits of the card' },
    wallet: { type: 'boolean', help: 'the card comes from a wallet' },
    '3ds': { type: 'boolean', help: 'the merchant demands 3D Secure' },
    owner: { type: 'string', value: '<name>', help: 'the merchant: shows which accounts it may use' },
    account: { type: 'string', value: '<adapter>/<account>', help: 'the account that the merchant names' },
    live: { type: 'boolean', help: 'a live payment (default: a test payment)' },
    url,
    json,
  },
  notes: [
    'Uses the adapter states of the config files, and the accounts of the database. Sends no request.',
    '--owner reads the merchant from the database. --url uses the states of the running service instead.',
  ],
  async run({ values, shell }) {
    const { owner, url: at } = values;
    const question = readQuestion(values);
    const explained =
      at === undefined
        ? await explainFor(shell, owner, question)
        : await withManagement(shell, values, async ({ call, owners }) => {
            if (owner !== undefined) await findOwner(owners, owner);
            return call('explainRoute', { ...question, merchant: owner });
          });
    const { merchant, ruleId, candidates, skipped, open } = explained;
    if (values.json) {
      const found = candidates.map(({ adapter, money }) => ({ adapter, money }));
      const accounts = open.map(({ adapter, accounts: own }) => ({ adapter, accounts: own }));
      const opened = merchant ? { merchant, open: accounts } : {};
      shell.print(JSON.stringify({ ruleId, candidates: found, skipped, ...opened }));
      return found.length > 0 ? 0 : 1;
    }
    if (merchant) for (const line of openText(merchant, open)) shell.print(line);
    for (const one of skipped) shell.print(`${ruleText(one.ruleId)}: skips ${one.adapter}: ${one.why}`);
    const [first, ...others] = candidates;
    if (!first) {
      shell.print('no rule has a provider for this payment: it would be refused with PAY004');
      return 1;
    }
    const { adapter, methodId, money } = first;
    shell.print(`${ruleText(ruleId)}: ${adapter} (${methodId}), ${money.amount} ${money.currency}`);
    for (const one of others) shell.print(`  falls back to ${one.adapter} if it is certain that nothing was charged`);
    return 0;
  },
});

/** Explains the route here. Opens the database only for the merchant and the accounts that it has. */
async function explainFor(shell: Shell, owner: string | undefined, question: RouteQuestion) {
  const merchant = owner === undefined ? undefined : await findUser(shell, owner);
  return { merchant: merchant ?? null, ...(await explainHere(shell, { ...question, merchant })) };
}

function ruleText(ruleId: number | null): string {
  return ruleId === null ? 'the merchant’s account' : `rule ${ruleId}`;
}

async function findUser(shell: Shell, name: string): Promise<AccountUser> {
  return withDatabase(shell, async ({ owners }) => {
    const { ownAccountsOnly } = await findOwner(owners, name);
    return { name, ownAccountsOnly };
  });
}

/** One line per adapter of the rules: the accounts that the merchant may use, in the order in which they are tried. */
function openText({ name, ownAccountsOnly }: AccountUser, open: readonly OpenAccounts[]): string[] {
  return open.map(({ adapter, accounts, isAssigned }) => {
    const why = isAssigned ? 'assigned' : 'serves everybody';
    if (accounts.length > 0) return `${adapter}: ${name} may use ${accounts.join(', ')} (${why})`;
    return `${adapter}: ${name} may use no account${ownAccountsOnly ? ': it uses only its own' : ''}`;
  });
}

interface Given {
  readonly input?: string;
  readonly amount?: string;
  readonly unit?: string;
  readonly country?: string;
  readonly bin?: string;
  readonly wallet?: boolean;
  readonly '3ds'?: boolean;
  readonly live?: boolean;
  readonly account?: string;
}

function readQuestion(values: Given): RouteQuestion {
  const amount = required(values.amount, 'amount');
  if (!isDecimal(amount)) throw new UsageError('--amount must be a decimal number, for example 25.90.');
  const { country, bin, wallet, '3ds': is3ds, live, account } = values;
  if (country !== undefined && !/^[A-Za-z]{2}$/.test(country))
    throw new UsageError('--country must be two letters, for example PT.');
  if (bin !== undefined && !/^\d{1,12}$/.test(bin)) throw new UsageError('--bin must contain only digits.');
  const input = readWord(values.input, explainedInputs, '--input');
  return { unit: required(values.unit, 'unit'), amount, input, country, bin, wallet, is3ds, live, account };
}

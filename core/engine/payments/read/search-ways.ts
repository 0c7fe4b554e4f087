/** The queries of an operator's search: every meaning that its text may have. */
import type { DeclineCode, PaymentMethod } from '@paywright/contract';
import { mongo, type Connection } from 'mongoose';
import { invalidField } from '../../../base/errors.ts';
import type { Environment } from '../../../base/environment.ts';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { clientIdOf, clientModel, type ClientAddress } from '../../../database/collections/client.ts';
import { paymentRequestModel, status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { toDecimal } from '../../../database/decimals.ts';
import { environmentsOf, ownerIdsOf, ownerRangesOf } from '../../access/index.ts';
import type { OwnerRange } from '../../access/owner-ranges.ts';
import type { WantedProblem } from '../record/operator-words.ts';
import { keyKinds, type KeyKind } from '../record/search-keys.ts';
import { withStatus, type StatusLabel } from '../record/status-label.ts';
import { longMs, unansweredAfterMs, unansweredStates } from './found-payment.ts';
import { neverTried } from './no-route.ts';
import { partsOf, plainText, termsOf, type WantedMoney } from './search-terms.ts';

export interface PaymentSearch {
  /**
   * Anything that is known of the payment: an id, a reference of ours (`GW-10042-1`, also of a refund), of the merchant
   * or of the provider, the number of a dispute, a part of the payer's name, the beginning of an e-mail address, a
   * phone number, an amount, last four digits, or a status, method, provider, problem or decline in words. Of several
   * such things, the payment has all: `rossi 210`.
   */
  readonly text?: string;
  /** As requested, in any usual spelling: `25.90`, `25,90`, `€25.90`. */
  readonly amount?: string;
  readonly unit?: string;
  /** The last digits of a card of any of its attempts. */
  readonly lastFour?: string;
  readonly ownerId?: number;
  /** The merchant's reference, exactly. */
  readonly referenceId?: string;
  readonly environment?: Environment;
  readonly status?: StatusLabel;
  /** The adapter of any of its attempts. */
  readonly adapter?: string;
  /** The account of its latest attempt, as `<adapter>/<account>`. */
  readonly providerAccount?: string;
  /** The method of any of its attempts. */
  readonly method?: PaymentMethod;
  /** The decline of any of its attempts. */
  readonly decline?: DeclineCode;
  readonly problem?: WantedProblem;
  readonly createdFrom?: Date;
  /** Before this moment. */
  readonly createdBefore?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

export type Filter = Readonly<Record<string, unknown>>;

/** One query of a search. `by`: what the text means in it. Null: the search has no text. */
export interface Way {
  readonly by: string | null;
  readonly filter: Filter;
  /** The owners of this query. Absent: its index does not begin with the owner. */
  readonly range?: OwnerRange;
  /** True for what the text means. Absent: the text does not mean a member of an attempt. */
  readonly isMeant?: (attempt: Attempt) => boolean;
}

export interface Ways {
  readonly whole: readonly Way[];
  /**
   * For a text that no payment has as a whole. Each part finds the same payments: those that match the other parts as
   * well.
   */
  readonly parts: () => Promise<readonly (readonly Way[])[]>;
}

interface TextContext {
  readonly adapterOf: (text: string) => string | undefined;
  readonly owned: readonly OwnerRange[];
}

/** The time limit of one query. */
export const limitMs = 2000;
/** MongoDB's error code for an exceeded time limit. */
const maxTimeExpired = 50;

/** After a client was erased and came back, the first id belongs to another client. */
const idsInTurn = [0, 1, 2, 3] as const;

/** Rejects with VAL002 for a search that matches too much. */
export type ReadWays = (search: PaymentSearch) => Promise<Ways>;

export function createSearchWays(connection: Connection, now: () => Date): ReadWays {
  const payments = paymentRequestModel(connection).collection;
  const clients = clientModel(connection);

  /** The id of a client follows from owner, environment and e-mail. Finds payments that were stored without keys. */
  async function byEmail(search: PaymentSearch, email: string): Promise<Filter[]> {
    const sides = environmentsOf(search);
    const emailKey = email.toLowerCase();
    const addresses = (await ownerIdsOf(connection, search)).flatMap((ownerId) =>
      sides.map((environment): ClientAddress => ({ ownerId, environment, emailKey })),
    );
    const ids = addresses.flatMap((address) => idsInTurn.map((turn) => clientIdOf(address, turn)));
    const found = await clients.find({ _id: { $in: ids }, emailKey }, { aliasOf: 1 }).lean();
    const clientIds = found.map(({ _id, aliasOf }) => aliasOf ?? _id);
    return clientIds.length ? [{ clientId: { $in: clientIds }, environment: { $in: sides } }] : [];
  }

  /** The code of an adapter, as its payments show it: the indexes of lists contain codes. */
  async function providerFilter(adapter: string): Promise<Filter> {
    const one = { projection: { attempts: 1 }, maxTimeMS: limitMs };
    const known = await withinLimit(async () => payments.findOne({ 'attempts.adapter': adapter }, one));
    const attempts = (known?.['attempts'] ?? []) as PaymentRecord['attempts'];
    const code = attempts.find((one) => one.adapter === adapter)?.providerCode ?? -1;
    return { 'attempts.providerCode': code, attempts: { $elemMatch: { adapter } } };
  }

  async function adapterNames(text: string): Promise<readonly string[]> {
    if (!/[\w.-]/.test(text)) return [];
    // Null: there are payments without an attempt.
    const names: readonly (string | null)[] = await withinLimit(async () =>
      payments.distinct('attempts.adapter', {}, { maxTimeMS: limitMs }),
    );
    return names.filter((name) => name !== null);
  }

  async function waysOfText(search: PaymentSearch, given: string): Promise<Ways> {
    const adapters = await adapterNames(given);
    const adapterOf = (text: string): string | undefined =>
      adapters.find((name) => plainText(name) === plainText(text));
    const owned = await ownerRangesOf(connection, search);
    const read = async (text: string): Promise<readonly Way[]> => textWays(search, text, { adapterOf, owned });
    return {
      whole: await read(given),
      async parts() {
        const parts = await Promise.all(partsOf(given, (text) => adapterOf(text) !== undefined).map(read));
        return parts.map((ways, at) => ways.map((way) => withOthers(way, parts.toSpliced(at, 1))));
      },
    };
  }

  /** The queries that find every meaning of the text. */
  async function textWays(
    search: PaymentSearch,
    text: string,
    { adapterOf, owned }: TextContext,
  ): Promise<readonly Way[]> {
    const { id, lastFour, money, words, email, phone, status: label, method, problem, decline } = termsOf(text);
    const adapter = adapterOf(text);
    const inLists = (by: string, filter: Filter, isMeant?: Way['isMeant']): Way[] =>
      owned.map((range) => ({ by, filter, range, ...(isMeant && { isMeant }) }));
    return [
      ...(id === undefined ? [] : [{ by: 'ID', filter: { _id: id } }]),
      { by: 'provider reference', filter: { 'attempts.providerReference': { $type: 'string', $eq: text } } },
      { by: 'provider reference', filter: { 'attempts.providerReferences.id': { $type: 'string', $eq: text } } },
      { by: 'refund reference', filter: { 'reportedRefunds.subReference': { $type: 'string', $eq: text } } },
      { by: 'dispute', filter: { 'disputeStages.subReference': { $type: 'string', $eq: text } } },
      ...inLists('merchant reference', { referenceId: text }),
      ...(text.includes('@') ? (await byEmail(search, text)).map((filter) => ({ by: 'email', filter })) : []),
      ...(email === undefined ? [] : [{ by: 'email', filter: withKey('email', email) }]),
      ...(words ? [{ by: 'name', filter: { $and: words.map((word) => withKey('name', word)) } }] : []),
      ...(phone === undefined ? [] : [{ by: 'phone', filter: withKey('phone', phone) }]),
      ...(money ? [{ by: 'amount', filter: withMoney(money) }] : []),
      ...(lastFour === undefined
        ? []
        : [
            {
              by: 'last four digits',
              filter: withLastFour(lastFour),
              isMeant: ({ cardLastDigits }: Attempt) => cardLastDigits === lastFour,
            },
          ]),
      ...(label ? inLists('status', withStatus(label)) : []),
      ...(method ? inLists('method', { 'attempts.method': method }, (one) => one.method === method) : []),
      ...(adapter === undefined
        ? []
        : inLists('provider', await providerFilter(adapter), (one) => one.adapter === adapter)),
      ...(decline
        ? [{ by: 'decline', filter: withDecline(decline), isMeant: (one: Attempt) => one.decline === decline }]
        : []),
      ...(problem ? (await problemWays(search, problem)).map((filter) => ({ by: 'problem', filter })) : []),
    ];
  }

  async function problemWays(search: PaymentSearch, problem: WantedProblem): Promise<readonly Filter[]> {
    const since = new Date(now().getTime() - longMs);
    if (problem === 'refund') return [...refundProblems.map((one) => ({ problems: one })), withLongRefund(now())];
    if (problem === 'refund_pending') return [withLongRefund(now())];
    if (problem === 'no_route')
      return (await ownerRangesOf(connection, search)).map((range) => ({ ...range, ...neverTried }));
    if (problem !== 'pending_long') return [{ problems: problem }];
    const open = { outcome: 'open', authorisedAt: null, openedAt: { $lt: since } };
    const filter = { statusId: status.pending, attempts: { $elemMatch: open } };
    return (await ownerRangesOf(connection, search)).map((range) => ({ ...range, ...filter }));
  }

  async function waysOf(search: PaymentSearch): Promise<Ways> {
    const { text, amount, lastFour, problem, decline, adapter } = search;
    const named = adapter === undefined ? {} : await providerFilter(adapter);
    const ways = async (): Promise<Ways> => {
      if (text !== undefined) return waysOfText(search, text);
      const filters = async (): Promise<readonly Filter[]> => {
        if (problem !== undefined) return problemWays(search, problem);
        const isNarrow = lastFour !== undefined || amount !== undefined || decline !== undefined;
        return isNarrow ? [{}] : ((await ownerRangesOf(connection, search)) as unknown as readonly Filter[]);
      };
      return { whole: (await filters()).map((filter) => ({ by: null, filter })), parts: async () => [] };
    };
    const wanted = text === undefined || problem === undefined ? [] : [{ $or: await problemWays(search, problem) }];
    const narrowed = (way: Way): Way => ({ ...way, filter: { $and: [way.filter, named, ...wanted] } });
    const { whole, parts } = await ways();
    return {
      whole: whole.map(narrowed),
      parts: async () => (await parts()).map((part) => part.map(narrowed)),
    };
  }

  return waysOf;
}

/**
 * Narrows the way to payments that match the other parts as well. An index that begins with the owner serves a meaning
 * of another part only within the same owners.
 */
function withOthers(way: Way, others: readonly (readonly Way[])[]): Way {
  const alternatives = others.map((ways) => {
    const ranged = new Set(ways.filter(({ range }) => range).map(({ filter }) => filter));
    const filters = [...new Set(ways.map(({ filter }) => filter))];
    return { $or: filters.map((filter) => (ranged.has(filter) ? { ...way.range, ...filter } : filter)) };
  });
  return { ...way, filter: { $and: [way.filter, ...alternatives] } };
}

/**
 * Rejects with VAL002 if the query took too long: very many payments have the amount, and hardly any of them the
 * status.
 */
export async function withinLimit<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError) || error.code !== maxTimeExpired) throw error;
    throw invalidField('search', '', 'matches too many payments: name a merchant or a time');
  }
}

export function withMoney({ amounts, units }: WantedMoney): Filter {
  const amount = amounts.length === 1 ? toDecimal(amounts[0]!) : { $in: amounts.map(toDecimal) };
  return { amount, ...(units.length > 0 && withUnits(units)) };
}

/** Found by the currency that is shown: the charged one, or the unit as sent. */
export function withUnits(units: readonly string[]): Filter {
  return { $or: [{ unit: { $in: units } }, { 'attempts.currency': { $in: units } }] };
}

export function withLastFour(digits: string): Filter {
  return { 'attempts.cardLastDigits': { $type: 'string', $eq: digits } };
}

export function withDecline(code: DeclineCode): Filter {
  return { 'attempts.decline': { $type: 'string', $eq: code } };
}

/** Finds keys that begin with the text. A pattern with a fixed beginning is a range of the index. */
function withKey(kind: KeyKind, text: string): Filter {
  const plain = (keyKinds[kind] + text).replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  return { searchKeys: { $regex: `^${plain}` } };
}

const refundProblems = ['refund_failed', 'refund_needs_merchant'] as const;

function withLongRefund(now: Date): Filter {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const since = before(longMs);
  const open = ['requested', 'unknown', 'pending'];
  return {
    problems: 'refund_pending',
    $or: [
      { refunds: { $elemMatch: { state: { $in: open }, requestedAt: { $lt: since } } } },
      {
        refunds: { $elemMatch: { state: { $in: unansweredStates }, requestedAt: { $lt: before(unansweredAfterMs) } } },
      },
      { reportedRefunds: { $elemMatch: { state: 'pending', reportedAt: { $lt: since } } } },
    ],
  };
}

/** The payments of a stored database, in blocks of a hundred: their merchants, times and documents. */
import { hash } from '@paywright/contract';
import { mongo } from 'mongoose';
import { clientIdOf } from '../../../core/database/collections/client.ts';
import { fromDocument, toDecimal } from '../../../core/database/decimals.ts';
import type { Deposit } from '../../../core/database/collections/deposit.ts';
import { changeSums, depositOf } from '../../../core/engine/payments/clients/deposits.ts';
import { DAY } from '../../../core/base/async/time.ts';
import { copierOf, type Copied, type Copier } from './copy.ts';
import type { Kind, Template, Templates } from './templates.ts';

type Document = mongo.BSON.Document;

export const blockSize = 100;
/** 2,800 payments a day, for any number of days. */
export const blocksPerDay = 28;
/** Below every id that the gateway assigns, which starts with the time of its first start, and equally long. */
export const firstId = 1_600_000_000_000;
/** Very few payments go there. */
export const rareProvider = 12;
const rareEvery = 2000;
/** The client of the first merchant who pays once in every block. */
export const regularEmail = 'regular@shop.example';
const regularPlace = 50;
const paymentsPerClient = 5;

/** The position at which a block of the first merchant starts. `age` is from 0, the newest, to 1. */
export function placeAtAge(payments: number, age: number): number {
  const blocks = payments / blockSize;
  return 2 * Math.floor(((1 - age) * (blocks - 1)) / 2) * blockSize;
}

export type CollectionName = 'paymentRequests' | 'clients' | 'inbox' | 'notifications' | 'exchanges';
export type Block = Readonly<Record<CollectionName, readonly Document[]>>;

/** The kinds of a hundred payments, mixed so that every client has some of each. */
const kinds = Array.from({ length: blockSize }, (_, at): Kind => {
  const place = (at * 37) % blockSize;
  if (place < 70) return 'paidByCallback';
  if (place < 82) return 'paidAtOnce';
  if (place < 92) return 'declined';
  return place < 95 ? 'refunded' : 'cancelled';
});

export interface BlockPlan {
  /** Templates of each merchant. The first merchant has every second block. */
  readonly templates: readonly Templates[];
  readonly blocks: number;
  /** End of the last block. */
  readonly until: Date;
  /** How long the documents that belong to a payment are kept. */
  readonly keepDays: number;
}

interface Kept {
  readonly template: Template;
  readonly deposit: Deposit | null;
  readonly payment: Copier;
  readonly client: Copier;
  readonly inbox: readonly Copier[];
  readonly notifications: readonly Copier[];
  readonly exchanges: readonly Copier[];
}

interface Payer {
  readonly copied: Copied;
  readonly client: Copier;
  /** The payments that its sums include. */
  readonly counted: Deposit[];
}

/** Yields block by block, and after the last one the client who is in all of them. */
export function* makeBlocks({ templates, blocks, until, keepDays }: BlockPlan): Generator<Block> {
  const keptOf = templates.map((of) => new Map(Object.entries(of).map(([kind, one]) => [kind, toKept(one)])));
  const stepMs = DAY / blocksPerDay / blockSize;
  const beginMs = until.getTime() - blocks * blockSize * stepMs;
  const keptFromMs = Date.now() - keepDays * DAY;
  const regular = new Map<string, Payer>();

  for (let block = 0; block < blocks; block += 1) {
    const merchant = block % 2 === 0 ? 0 : 1 + (((block - 1) / 2) % (templates.length - 1));
    const made = emptyBlock();
    const payers = new Map<string, Payer>();
    for (const [at, kind] of kinds.entries()) {
      const { template, ...kept } = keptOf[merchant]!.get(kind)!;
      const n = block * blockSize + at;
      const createdMs = beginMs + n * stepMs;
      const isRegular = merchant === 0 && at === regularPlace;
      const email = isRegular ? regularEmail : `client-${Math.floor(n / paymentsPerClient)}@shop.example`;
      const { ownerId, environment, createdAt } = template.payment as Made;
      const copied: Copied = {
        id: firstId + n,
        clientId: clientIdOf({ ownerId, environment, emailKey: email }, 0),
        email,
        referenceId: `order-${n}`,
        laterMs: createdMs - createdAt.getTime(),
      };
      const payer = (isRegular ? regular : payers).get(email) ?? { copied, client: kept.client, counted: [] };
      (isRegular ? regular : payers).set(email, payer);
      let payment = kept.payment(copied);
      if (n % rareEvery === 0) payment = atRareProvider(payment);
      // A client with so many payments is counted.
      if (isRegular && kept.deposit) {
        payer.counted.push(kept.deposit);
        payment = toCounted(payment);
      }
      made.paymentRequests.push(payment);
      if (createdMs < keptFromMs) continue;
      made.inbox.push(...kept.inbox.map((copy) => withHash(copy(copied), copied)));
      made.notifications.push(...kept.notifications.map((copy) => copy(copied)));
      made.exchanges.push(...kept.exchanges.map((copy) => withTime(copy(copied))));
    }
    made.clients.push(...[...payers.values()].map(toClient));
    yield made;
  }
  yield { ...emptyBlock(), clients: [...regular.values()].map(toClient) };
}

interface Made {
  readonly ownerId: number;
  readonly environment: 'test';
  readonly createdAt: Date;
}

function emptyBlock(): Record<CollectionName, Document[]> {
  return { paymentRequests: [], clients: [], inbox: [], notifications: [], exchanges: [] };
}

function toKept(template: Template): Kept {
  const { payment, client } = template;
  const { paidAmount, paidCurrency, refundedAmount } = payment;
  const names = {
    id: payment['_id'] as number,
    clientId: payment['clientId'] as number,
    email: client['email'] as string,
    referenceId: payment['referenceId'] as string,
  };
  const toCopier = (row: Document): Copier => copierOf(row, names);
  return {
    template,
    deposit: depositOf(fromDocument({ paidAmount, paidCurrency, refundedAmount }) as Parameters<typeof depositOf>[0]),
    payment: toCopier(payment),
    client: toCopier(client),
    inbox: template.inbox.map(toCopier),
    notifications: template.notifications.map(toCopier),
    exchanges: template.exchanges.map(toCopier),
  };
}

function atRareProvider(payment: Document): Document {
  const attempts = payment['attempts'] as readonly Document[];
  return { ...payment, attempts: attempts.map((attempt) => ({ ...attempt, providerCode: rareProvider })) };
}

function toCounted(payment: Document): Document {
  const { paidCurrency: currency, paidAmount: paid, refundedAmount: refunded, depositDue: version } = payment;
  return { ...payment, depositDue: null, countedDeposit: { version, currency, paid, refunded } };
}

/** The client with the sums of its counted payments. */
function toClient({ copied, client, counted }: Payer): Document {
  const sums = changeSums(
    {},
    counted.map((after) => ({ before: null, after })),
  );
  const deposits = Object.entries(sums).map(([currency, sum]) => {
    return [currency, { paid: toDecimal(sum.paid), refunded: toDecimal(sum.refunded) }] as const;
  });
  return { ...client(copied), deposits: Object.fromEntries(deposits), counting: [] };
}

/** Replaces the hash by another one. */
function withHash(row: Document, { id }: Copied): Document {
  const before = String(row['_id']);
  return { ...row, _id: hash('sha512', `${before} ${id}`).toString('hex').slice(0, before.length) };
}

/** Ids of exchanges start with their time. */
function withTime(row: Document): Document {
  return { ...row, _id: new mongo.ObjectId(mongo.ObjectId.generate((row['at'] as Date).getTime() / 1000)) };
}

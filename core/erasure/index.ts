/**
 * Erases the personal data of a payer. Amounts, times and ids stay, so that accounting and reports do not change.
 * Erased data is gone from the database. Backups, the provider and the merchant have their own copies: the operator
 * must inform them.
 */
import type { Connection } from 'mongoose';
import type { Actor, Audit } from '../engine/audit/index.ts';
import { alarmModel, type Alarm } from '../database/collections/alarm.ts';
import { clientModel } from '../database/collections/client.ts';
import { exchangeModel } from '../database/collections/exchange.ts';
import { idempotencyRecordModel, type IdempotencyRecordDocument } from '../database/collections/idempotency-record.ts';
import { driverCodecOf } from '../database/driver-codec.ts';
import { notificationModel, type NotificationDocument } from '../database/collections/notification.ts';
import { paymentRequestModel, type PaymentRecord } from '../database/collections/payment-request.ts';
import { answerContext } from '../database/encryption-context.ts';
import { streamedEventModel } from '../database/collections/streamed-event.ts';
import type { Encrypter } from '../base/crypto/encryption.ts';
import { GatewayError } from '../base/errors.ts';
import type { Subject } from './ownership.ts';
import { createCallbackErasure } from './callbacks.ts';
import { copyOf, type CopyDeps } from './copy.ts';
import { erasePayment, erasedClient } from './erase-payment.ts';
import { findAlarms, findPayer, type Found, type Payer } from './find.ts';
import { refusalsOf } from './refusals.ts';
import { createTextEraser, eraseShown, type TextEraser } from './texts.ts';
import { identifiersOf } from './identifiers.ts';

export type { Payer } from './find.ts';

export interface Counts {
  readonly clients: number;
  readonly payments: number;
  readonly notifications: number;
  readonly callbacks: number;
}

export interface ErasurePlan {
  /** Identifies the payer in the audit log, which keeps no e-mail address: the same value for the same address. */
  readonly payerId: string;
  readonly counts: Counts;
  /** One sentence for each piece of work in progress; empty: the payer can be erased. */
  readonly refusals: readonly string[];
  /** All known data about the payer, as plain data to store elsewhere. */
  readonly copy: unknown;
}

export interface EraseOptions {
  readonly reason?: string | undefined;
  /** Stores a copy of the data before it is erased. If it rejects, nothing is erased. */
  readonly keep?: ((copy: unknown) => Promise<void>) | undefined;
}

export interface Erasure {
  plan(payer: Payer): Promise<ErasurePlan>;
  /**
   * Erases the payer and records it in the audit log. Rejects with PAY004 if work is in progress. Call it again to
   * finish an interrupted erasure.
   */
  erase(by: Actor, payer: Payer, options?: EraseOptions): Promise<Counts>;
}

export interface ErasureDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly audit: Pick<Audit, 'run'>;
  /** Receives the progress of long work. */
  readonly progress?: (line: string) => void;
}

/** Maximum number of rounds: a payment may change during the erasure, for example by a late callback. */
const tries = 5;
const progressEvery = 1000;

interface Looked {
  readonly found: Found;
  readonly subject: Subject;
  /** Values that identify the payer wherever they appear as a name, an address or a similar member. */
  readonly identifiers: ReadonlySet<string>;
}

export function createErasure({ connection, encrypter, audit, progress = () => undefined }: ErasureDeps): Erasure {
  const payments = driverCodecOf(paymentRequestModel(connection));
  const clients = clientModel(connection).collection;
  const notifications = notificationModel(connection);
  const answers = idempotencyRecordModel(connection);
  const exchanges = exchangeModel(connection).collection;
  const callbacks = createCallbackErasure(connection, encrypter, progress);
  const deps: CopyDeps = { cipher: encrypter, openRaw: (row) => callbacks.openRaw(row) };

  const payerIdOf = ({ email }: Payer): string => encrypter.fingerprint(`payer ${email.toLowerCase()}`).slice(0, 24);

  async function look(payer: Payer): Promise<Looked> {
    const named = await findPayer(connection, payer);
    const identifiers = identifiersOf(payer, named);
    const texts = createTextEraser(identifiers);
    // A callback without a payment may belong to any merchant. Such callbacks are only searched if the payer is erased
    // everywhere.
    const isNarrow = payer.ownerId !== undefined || payer.environment !== undefined;
    const letters = isNarrow ? [] : await callbacks.lettersAbout(texts);
    const known = new Set(named.callbacks.map(({ _id }) => _id));
    const rows = [...named.callbacks, ...letters.filter(({ _id }) => !known.has(_id))];
    const all = { ...named, callbacks: rows };
    return {
      found: { ...all, alarms: await findAlarms(connection, all, texts, isNarrow) },
      subject: { paymentIds: new Set(named.payments.map(({ _id }) => _id)), texts },
      identifiers: new Set(identifiers.filter((one) => one !== null)),
    };
  }

  async function eraseRecord(record: PaymentRecord, texts: TextEraser): Promise<boolean> {
    const next = erasePayment(record, texts, encrypter);
    const changed = Object.entries(next).filter(([name, value]) => value !== record[name as keyof PaymentRecord]);
    const { matchedCount } = await payments.collection.updateOne(
      { _id: record._id, version: record.version, 'lease.token': null },
      { $set: { ...payments.toMembers(Object.fromEntries(changed)), version: record.version + 1 } },
    );
    return matchedCount === 1;
  }

  async function eraseNotification({ _id, body, url }: NotificationDocument, texts: TextEraser): Promise<void> {
    await notifications.updateOne(
      { _id },
      {
        $set: { body: eraseShown(body, texts), url: texts.erase(url) },
        // A receiver may repeat what it received.
        $unset: { 'attempts.$[].answer': '' },
      },
    );
  }

  async function eraseAnswer(record: IdempotencyRecordDocument, { subject, identifiers }: Looked): Promise<void> {
    const { _id, response, reservedIds = [] } = record;
    if (!response) return;
    const stored = readAnswer(record);
    if (!stored) {
      // A response that no key decrypts may contain anything. Without it, a repetition is refused as before and never
      // executed again.
      await answers.updateOne({ _id, expireAt: record.expireAt }, { $unset: { response: '' } });
      return;
    }
    const { body } = stored;
    const json = body.answer?.json;
    const only = reservedIds.every((id) => subject.paymentIds.has(id)) ? undefined : identifiers;
    const answer = body.answer && { ...body.answer, ...(json && { json: eraseShown(json, subject.texts, only) }) };
    const next = subject.texts.eraseIn({ ...stored, body: { ...body, ...(answer && { answer }) } });
    await answers.updateOne(
      { _id },
      { $set: { response: encrypter.encrypt(JSON.stringify(next), answerContext(_id)) } },
    );
  }

  function readAnswer({ _id, response }: IdempotencyRecordDocument): StoredAnswer | undefined {
    try {
      return JSON.parse(encrypter.decrypt(response!, answerContext(_id)).toString()) as StoredAnswer;
    } catch {
      return undefined;
    }
  }

  /** False: something changed in the meantime. */
  async function eraseAll(looked: Looked): Promise<boolean> {
    const { found, subject } = looked;
    const { texts } = subject;
    const total = found.notifications.length + found.callbacks.length + found.payments.length;
    let [done, isWhole] = [0, true];
    const count = (isErased = true): void => {
      done += 1;
      isWhole &&= isErased;
      if (done % progressEvery === 0) progress(`${done} of ${total} documents erased`);
    };
    for (const one of found.notifications) {
      await eraseNotification(one, texts);
      count();
    }
    for (const one of found.callbacks) count(await callbacks.erase(one, subject));
    for (const one of found.answers) await eraseAnswer(one, looked);
    for (const { _id, path } of found.exchanges)
      if (texts.isIn(path)) await exchanges.updateOne({ _id }, { $set: { path: texts.erase(path) } });
    for (const one of found.alarms) await eraseAlarm(connection, one, texts);
    await streamedEventModel(connection).deleteMany({ _id: { $in: found.streamed.map(({ _id }) => _id) } });
    // Clients lead to all other data, so they are erased last: an interrupted erasure finds the rest again.
    if (!isWhole) return false;
    for (const one of found.payments) count(await eraseRecord(one, texts));
    return isWhole;
  }

  /** The documents that lead to the rest are erased last: an interrupted erasure finds the rest again. */
  async function eraseClients({ clients: known }: Found): Promise<void> {
    const leading = known.filter(({ aliasOf }) => aliasOf !== undefined).map(({ _id }) => _id);
    const real = known.filter(({ aliasOf }) => aliasOf === undefined).map(({ _id }) => _id);
    await clients.updateMany({ _id: { $in: real } as never }, { $set: { ...erasedClient, emailKey: null } });
    await clients.deleteMany({ _id: { $in: leading } as never });
  }

  return {
    async plan(payer) {
      const { found, subject } = await look(payer);
      return {
        payerId: payerIdOf(payer),
        counts: countsOf(found),
        refusals: refusalsOf(found, subject, new Date()),
        copy: copyOf(found, subject, deps),
      };
    },

    async erase(by, payer, { reason, keep } = {}) {
      const first = await look(payer);
      const counts = countsOf(first.found);
      const subject = { type: 'payer', id: payerIdOf(payer) };
      const { texts } = first.subject;
      const said = reason === undefined ? undefined : texts.erase(reason);
      const isRefused = refusalsOf(first.found, first.subject, new Date()).length > 0;
      if (keep && !isRefused) await keep(copyOf(first.found, first.subject, deps));
      return audit.run(by, { act: 'payer.erase', subject, reason: said, plan: counts }, async () => {
        for (let attempt = 1; ; attempt += 1) {
          const now = attempt === 1 ? first : await look(payer);
          const refusals = refusalsOf(now.found, now.subject, new Date());
          if (refusals.length > 0) throw new GatewayError('PAYMENT_NOT_PAYABLE', refusals.join(' '));
          if (await eraseAll(now)) {
            await eraseClients(now.found);
            return { value: counts, after: counts };
          }
          if (attempt === tries) throw new Error('a payment changed during every try: try again in a moment');
        }
      });
    },
  };
}

interface StoredAnswer {
  readonly body: { readonly answer?: { readonly json: string | null } };
}

function countsOf({ clients, payments, notifications, callbacks }: Found): Counts {
  return {
    clients: clients.filter(({ aliasOf }) => aliasOf === undefined).length,
    payments: payments.length,
    notifications: notifications.length,
    callbacks: callbacks.length,
  };
}

/** The reason, and what operators said about the alarm. */
async function eraseAlarm(
  connection: Connection,
  { _id, reason, history = [] }: Alarm,
  texts: TextEraser,
): Promise<void> {
  const alarms = alarmModel(connection);
  await alarms.updateOne({ _id, reason }, { $set: { reason: texts.erase(reason) } });
  for (const said of new Set(history.flatMap((event) => event.reason ?? [])))
    await alarms.updateOne(
      { _id },
      { $set: { 'history.$[event].reason': texts.erase(said) } },
      { arrayFilters: [{ 'event.reason': said }] },
    );
}

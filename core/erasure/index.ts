/**
 * Erases who a payer was: amounts, times and ids stay, so that books and reports are what they were. What is erased is
 * gone from the database; who has copies (backups, the provider, the merchant) must be informed by the operator who erases.
 */
import type { Connection } from 'mongoose';
import type { Actor, Audit } from '../audit/index.ts';
import { fromBytes, toBytes } from '../callbacks/raw-bytes.ts';
import { clientModel } from '../documents/client.ts';
import { fromDocument } from '../documents/decimals.ts';
import { exchangeModel } from '../documents/exchange.ts';
import { idempotencyRecordModel, type IdempotencyRecordDocument } from '../documents/idempotency-record.ts';
import { inboxModel, type InboxEvent, type InboxRow } from '../documents/inbox-row.ts';
import { nativeOf } from '../documents/native.ts';
import { notificationModel, type NotificationDocument } from '../documents/notification.ts';
import { paymentRequestModel, type PaymentRecord } from '../documents/payment-request.ts';
import { answerPlace, callbackPlace } from '../documents/places.ts';
import { streamedEventModel } from '../documents/streamed-event.ts';
import type { Encrypter } from '../encryption.ts';
import { GatewayError } from '../errors.ts';
import { erasePayment, nobody } from './erase-payment.ts';
import { findPayer, type Found, type Payer } from './find.ts';
import { refusalsOf } from './refusals.ts';
import { createTextEraser, eraseShown, type TextEraser } from './texts.ts';

export type { Payer } from './find.ts';

export interface Counts {
  readonly clients: number;
  readonly payments: number;
  readonly notifications: number;
  readonly callbacks: number;
}

export interface ErasurePlan {
  /** Names the payer in the audit, which keeps no e-mail: the same for the same e-mail. */
  readonly payerId: string;
  readonly counts: Counts;
  /** A sentence for each thing that is under way; none: it may be erased. */
  readonly refusals: readonly string[];
  /** All that is known of the payer, as plain data to be kept elsewhere. */
  readonly copy: unknown;
}

export interface Erasure {
  plan(payer: Payer): Promise<ErasurePlan>;
  /** Audited. Rejects with PAY004 where something is under way; what was begun is finished by calling it again. */
  erase(by: Actor, payer: Payer, reason?: string): Promise<Counts>;
}

export interface ErasureDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly audit: Pick<Audit, 'run'>;
}

/** A payment may change meanwhile, as by a late callback: so often it is looked at again. */
const tries = 5;

export function createErasure({ connection, encrypter, audit }: ErasureDeps): Erasure {
  const payments = nativeOf(paymentRequestModel(connection));
  const clients = clientModel(connection).collection;
  const notifications = notificationModel(connection);
  const inbox = inboxModel(connection);
  const answers = idempotencyRecordModel(connection);
  const exchanges = exchangeModel(connection).collection;

  const payerIdOf = ({ email }: Payer): string => encrypter.fingerprint(`payer ${email.toLowerCase()}`).slice(0, 24);

  /** Rows that name no payment: callbacks that nobody could read, and those of payments that nobody knew. */
  async function lettersAbout(texts: TextEraser): Promise<readonly InboxRow[]> {
    const unnamed = { events: { $not: { $elemMatch: { paymentRequestId: { $type: 'number' } } } } };
    const found: InboxRow[] = [];
    for await (const one of inbox.collection.find(unnamed)) {
      const row = fromDocument(one) as InboxRow;
      const text = openMessage(row);
      if (text !== undefined && (texts.isIn(text) || texts.isIn(JSON.stringify(row.events)))) found.push(row);
    }
    return found;
  }

  /** As text; undefined where none of the keys opens it. */
  function openMessage({ _id, encrypted }: InboxRow): string | undefined {
    try {
      const { body, query, path, headers } = fromBytes(encrypter.decrypt(encrypted, callbackPlace(_id)));
      return [Buffer.from(body).toString(), query, path, ...headers.flat()].join('\n');
    } catch {
      return undefined;
    }
  }

  async function look(payer: Payer): Promise<{ readonly found: Found; readonly texts: TextEraser }> {
    const named = await findPayer(connection, payer);
    const texts = createTextEraser(traitsOf(payer, named));
    const letters = await lettersAbout(texts);
    const known = new Set(named.callbacks.map(({ _id }) => _id));
    return {
      found: { ...named, callbacks: [...named.callbacks, ...letters.filter(({ _id }) => !known.has(_id))] },
      texts,
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
    await notifications.updateOne({ _id }, { $set: { body: eraseShown(body, texts), url: texts.erase(url) } });
  }

  /** The row stays, for the payment's timeline and against repetitions; its message is gone. */
  async function eraseCallback(row: InboxRow, texts: TextEraser): Promise<void> {
    const place = callbackPlace(row._id);
    const raw = fromBytes(encrypter.decrypt(row.encrypted, place));
    const empty = toBytes({ ...raw, path: `/callbacks/${row.path}`, query: '', headers: [], body: new Uint8Array() });
    const events = row.events.map((one) => eraseEvent(one, texts));
    await inbox.updateOne({ _id: row._id }, { $set: { encrypted: encrypter.encrypt(empty, place), events } });
  }

  async function eraseAnswer({ _id, response }: IdempotencyRecordDocument, texts: TextEraser): Promise<void> {
    if (!response) return;
    const stored = JSON.parse(encrypter.decrypt(response, answerPlace(_id)).toString()) as StoredAnswer;
    const { body } = stored;
    const json = body.answer?.json;
    const answer = body.answer && { ...body.answer, ...(json && { json: eraseShown(json, texts) }) };
    const next = texts.eraseIn({ ...stored, body: { ...body, ...(answer && { answer }) } });
    await answers.updateOne({ _id }, { $set: { response: encrypter.encrypt(JSON.stringify(next), answerPlace(_id)) } });
  }

  async function eraseAll({ found, texts }: Awaited<ReturnType<typeof look>>): Promise<void> {
    for (const one of found.notifications) await eraseNotification(one, texts);
    for (const one of found.callbacks) await eraseCallback(one, texts);
    for (const one of found.answers) await eraseAnswer(one, texts);
    for (const { _id, path } of found.exchanges)
      if (texts.isIn(path)) await exchanges.updateOne({ _id }, { $set: { path: texts.erase(path) } });
    const streamed = found.payments.flatMap(({ _id, sequence }) =>
      Array.from({ length: sequence }, (_, at) => `${_id}-${at + 1}`),
    );
    await streamedEventModel(connection).deleteMany({ _id: { $in: streamed } });
  }

  /** By whom the rest is found comes last: what was interrupted is found again. */
  async function eraseClients({ clients: known }: Found): Promise<void> {
    const leading = known.filter(({ aliasOf }) => aliasOf !== undefined).map(({ _id }) => _id);
    const real = known.filter(({ aliasOf }) => aliasOf === undefined).map(({ _id }) => _id);
    await clients.updateMany({ _id: { $in: real } as never }, { $set: { ...nobody, emailKey: null } });
    await clients.deleteMany({ _id: { $in: leading } as never });
  }

  return {
    async plan(payer) {
      const { found } = await look(payer);
      return {
        payerId: payerIdOf(payer),
        counts: countsOf(found),
        refusals: refusalsOf(found, new Date()),
        copy: copyOf(found),
      };
    },

    async erase(by, payer, reason) {
      const first = await look(payer);
      const counts = countsOf(first.found);
      const subject = { type: 'payer', id: payerIdOf(payer) };
      const said = reason === undefined ? undefined : first.texts.erase(reason);
      return audit.run(by, { act: 'payer.erase', subject, reason: said, plan: counts }, async () => {
        for (let attempt = 1; ; attempt += 1) {
          const now = attempt === 1 ? first : await look(payer);
          const refusals = refusalsOf(now.found, new Date());
          if (refusals.length > 0) throw new GatewayError('PAYMENT_NOT_PAYABLE', refusals.join(' '));
          await eraseAll(now);
          const results = await Promise.all(now.found.payments.map(async (one) => eraseRecord(one, now.texts)));
          if (results.every(Boolean)) {
            await eraseClients(now.found);
            return { value: counts, after: counts };
          }
          if (attempt === tries) throw new Error('a payment changes all the time: try again in a moment');
        }
      });
    },
  };
}

interface StoredAnswer {
  readonly body: { readonly answer?: { readonly json: string | null } };
}

function traitsOf({ email }: Payer, { clients, payments }: Found): readonly (string | null)[] {
  return [
    email,
    ...clients.flatMap((client) => [client.email, client.name, client.phone, client.address, client.memberId]),
    ...payments.flatMap(({ client, payerName, payerEmail, kycApplicantId }) => [
      client.email,
      client.name,
      client.phone,
      client.address,
      client.memberId,
      payerName,
      payerEmail,
      kycApplicantId,
    ]),
  ];
}

/** What an event was applied by stays; what else the provider said of the payer goes. */
function eraseEvent(one: InboxEvent, texts: TextEraser): InboxEvent {
  const { action: _action, facts: _facts, details: _details, declineText: _declineText, ...event } = one.event;
  const kept = new Set(['reference', 'providerReference', 'subReference', 'dedupeKey']);
  return { ...one, note: texts.erase(one.note), event: texts.eraseIn(event, kept) };
}

function countsOf({ clients, payments, notifications, callbacks }: Found): Counts {
  return {
    clients: clients.filter(({ aliasOf }) => aliasOf === undefined).length,
    payments: payments.length,
    notifications: notifications.length,
    callbacks: callbacks.length,
  };
}

/** Without what is encrypted, and without what only the service needs. */
function copyOf({ clients, payments, notifications, callbacks }: Found): unknown {
  return {
    clients: clients.map(({ counting: _counting, countedBy: _countedBy, counts: _counts, ...client }) => client),
    payments: payments.map(({ lease: _lease, outbox: _outbox, linkKey: _linkKey, attempts, ...payment }) => ({
      ...payment,
      attempts: attempts.map(({ action: _action, adapterState: _state, steps: _steps, ...attempt }) => attempt),
    })),
    notifications: notifications.map(({ _id, type, url, createdAt, state, body }) => {
      return { id: _id, type, url, createdAt, state, body };
    }),
    callbacks: callbacks.map(({ _id, adapter, receivedAt, events }) => ({ id: _id, adapter, receivedAt, events })),
  };
}

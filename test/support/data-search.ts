/** Searches a gateway's whole database, including encrypted values. */
import { mongo } from 'mongoose';
import { fromBytes } from '../../core/engine/callbacks/raw-bytes.ts';
import { fromDocument } from '../../core/database/decimals.ts';
import {
  answerContext,
  attemptContext,
  callbackContext,
  postedContext,
} from '../../core/database/encryption-context.ts';
import type { TestGateway } from './start-gateway.ts';

export interface DataSearch {
  /** Every document, by collection. */
  everything(): Promise<Map<string, mongo.Document[]>>;
  /** The text of a document, with decrypted values. Values that no key decrypts are left out. */
  textOf(collection: string, document: mongo.Document): string;
  /** Names of the collections with a matching document. */
  findCollectionsMatching(what: RegExp): Promise<string[]>;
}

export function createDataSearch({ gateway }: TestGateway): DataSearch {
  const { connection, httpDeps } = gateway;

  async function everything(): Promise<Map<string, mongo.Document[]>> {
    const names = (await connection.listCollections())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('system.'));
    const read = async (name: string) => [name, await connection.collection(name).find().toArray()] as const;
    return new Map(await Promise.all(names.map(read)));
  }

  function open(value: Uint8Array, place: Parameters<typeof httpDeps.encrypter.decrypt>[1]): string {
    try {
      return httpDeps.encrypter.decrypt(value, place).toString();
    } catch {
      return '';
    }
  }

  function textOf(collection: string, given: mongo.Document): string {
    // oxlint-disable-next-line typescript/no-explicit-any -- any of the collections
    const found = fromDocument(mongo.BSON.deserialize(mongo.BSON.serialize(given))) as any;
    const opened: string[] = [];
    if (collection === 'inbox') {
      const raw = open(found.encrypted, callbackContext(found._id));
      opened.push(raw, raw && Buffer.from(fromBytes(Buffer.from(raw)).body).toString());
    }
    if (collection === 'idempotencyRecords' && found.response)
      opened.push(open(found.response, answerContext(found._id)));
    for (const attempt of found.attempts ?? []) {
      for (const member of ['action', 'adapterState'] as const)
        if (attempt[member]) opened.push(open(attempt[member], attemptContext(attempt, member)));
      for (const { nonce, posted } of attempt.steps ?? [])
        if (posted) opened.push(open(posted, postedContext(attempt, nonce)));
    }
    return [JSON.stringify(found), ...opened].join('\n');
  }

  return {
    everything,
    textOf,
    findCollectionsMatching: async (what) =>
      [...(await everything())]
        .filter(([name, documents]) => documents.some((one) => what.test(textOf(name, one))))
        .map(([name]) => name)
        .toSorted(),
  };
}

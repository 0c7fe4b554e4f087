/** The stream of an owner's test events, each with the headers that prove it. */
import type { Connection } from 'mongoose';
import { signatureHeaders, type WebhookSecrets } from '../../base/crypto/webhook-signature.ts';
import type { Environment } from '../../base/environment.ts';
import type { Owners } from '../access/index.ts';
import { listen, streamKeepMs, type ListenedEvent, type Listening } from './stream.ts';

export interface SignedEvent extends ListenedEvent {
  readonly headers: Readonly<Record<string, string>>;
}

export interface SignedStreamDeps {
  readonly connection: Connection;
  readonly secrets: (ownerId: number, environment: Environment) => Promise<WebhookSecrets>;
  /** Remembers that the owner listens, so that events without an address are kept. */
  readonly owners: Partial<Pick<Owners, 'recordListener'>>;
  readonly now: () => Date;
}

export function createSignedStream({ connection, secrets, owners, now }: SignedStreamDeps) {
  return async function* listenSigned(listening: Omit<Listening, 'pollMs'>): AsyncGenerator<SignedEvent | undefined> {
    const { ownerId } = listening;
    let renewedAt = -Infinity;
    for await (const event of listen(connection, listening)) {
      if (performance.now() - renewedAt > streamKeepMs / 2) {
        renewedAt = performance.now();
        await owners.recordListener?.(ownerId, new Date(now().getTime() + streamKeepMs));
      }
      if (!event) {
        yield undefined;
        continue;
      }
      const { id, body } = event;
      const signed = signatureHeaders({ id, body: Buffer.from(body), at: now() }, await secrets(ownerId, 'test'));
      yield { ...event, headers: { 'Content-Type': 'application/json', 'X-Webhook-Mode': 'test', ...signed } };
    }
  };
}

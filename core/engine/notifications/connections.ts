/** Keeps connections to receivers open between attempts. Each goes to an address that was checked for its attempt. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Target } from './target-guard.ts';

export interface Connections {
  /** Reuses a connection only if it goes to one of the addresses that were checked for this target. */
  agentFor(target: Target): http.Agent;
  close(): void;
}

/** The part of a connection's name that Node does not add. */
export interface ConnectionName {
  /** The checked addresses: a name that resolves to other addresses gets other connections. */
  readonly addresses: string;
}

/** Shorter than most servers keep an idle connection. A connection that they close while we send costs a repetition. */
const idleMs = 4000;
/** The limit over all receivers of this process. A connection beyond it closes with its attempt. */
const maxKept = 1000;

export function createConnections(): Connections {
  const options = { keepAlive: true, timeout: idleMs };
  const kept = new Set<Duplex>();

  function mayKeep(socket: Duplex): boolean {
    if (kept.has(socket)) return true;
    if (kept.size >= maxKept) return false;
    kept.add(socket);
    socket.once('close', () => kept.delete(socket));
    return true;
  }

  const toName = (name: string, { addresses = '' }: Partial<ConnectionName> = {}): string => `${name}:${addresses}`;

  class HttpAgent extends http.Agent {
    override getName(given?: http.RequestOptions & Partial<ConnectionName>): string {
      return toName(super.getName(given), given);
    }
    override keepSocketAlive(socket: Duplex): boolean {
      return mayKeep(socket) && wasKept(super.keepSocketAlive(socket));
    }
  }
  class HttpsAgent extends https.Agent {
    override getName(given?: https.RequestOptions & Partial<ConnectionName>): string {
      return toName(super.getName(given), given);
    }
    override keepSocketAlive(socket: Duplex): boolean {
      return mayKeep(socket) && wasKept(super.keepSocketAlive(socket));
    }
  }

  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return {
    agentFor: ({ url }) => (url.protocol === 'https:' ? agents.https : agents.http),
    close: () => Object.values(agents).forEach((agent) => agent.destroy()),
  };
}

/** Node returns a boolean here, which its types do not say. */
const wasKept = (result: unknown): boolean => result === true;

/** Connections to receivers that stay open between attempts. Each goes to an address that was vetted for its attempt. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Target } from './target-guard.ts';

export interface Connections {
  /** Uses a kept connection only where it goes to one of the addresses that were vetted for this target. */
  agentFor(target: Target): http.Agent;
  close(): void;
}

/** What a connection is kept for, beside what Node goes by. */
export interface KeptFor {
  /** The vetted addresses: a name that resolves to others has other connections. */
  readonly vetted: string;
}

/** Shorter than most servers keep an idle connection: one that they end just as we send costs a repetition. */
const idleMs = 4000;
/** Over all receivers of this process; what is open beyond them ends with its attempt. */
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

  const toName = (name: string, { vetted = '' }: Partial<KeptFor> = {}): string => `${name}:${vetted}`;

  class HttpAgent extends http.Agent {
    override getName(given?: http.RequestOptions & Partial<KeptFor>): string {
      return toName(super.getName(given), given);
    }
    override keepSocketAlive(socket: Duplex): boolean {
      return mayKeep(socket) && wasKept(super.keepSocketAlive(socket));
    }
  }
  class HttpsAgent extends https.Agent {
    override getName(given?: https.RequestOptions & Partial<KeptFor>): string {
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

/** Node gives a boolean there, which its types do not say. */
const wasKept = (result: unknown): boolean => result === true;

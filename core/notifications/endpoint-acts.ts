/** What operators do to the endpoints of merchants: each is audited. */
import type { Connection } from 'mongoose';
import type { Actor, Audit, Deed } from '../audit/index.ts';
import type { Environment } from '../environment.ts';
import { disableEndpoint, enableEndpoint, endpointId } from './endpoints.ts';

/** An owner's addresses of one environment and origin. */
export interface EndpointName {
  readonly owner: { readonly id: number; readonly name: string };
  readonly environment: Environment;
  /** Scheme, host and port. */
  readonly origin: string;
}

export interface EndpointActs {
  /** Gives how many notifications that were kept are sent again; undefined: nothing fails there. */
  enable(by: Actor, endpoint: EndpointName, reason?: string): Promise<number | undefined>;
  /** Nothing but test events is sent there any more, within 30 s; what waits is kept. False: it was disabled before. */
  disable(by: Actor, endpoint: EndpointName, reason?: string): Promise<boolean>;
}

export function createEndpointActs({
  connection,
  audit,
  now,
}: {
  readonly connection: Connection;
  readonly audit: Pick<Audit, 'run'>;
  readonly now: () => Date;
}): EndpointActs {
  function deedOf(act: Deed['act'], { owner, environment, origin }: EndpointName, reason: string | undefined): Deed {
    return { act, subject: { type: 'endpoint', id: `${owner.name}:${environment}:${origin}` }, reason };
  }

  return {
    async enable(by, endpoint, reason) {
      const id = endpointId(endpoint.owner.id, endpoint.environment, endpoint.origin);
      return audit.run(by, deedOf('endpoint.enable', endpoint, reason), async () => {
        const sentAgain = await enableEndpoint(connection, id);
        return sentAgain < 0 ? { value: undefined } : { value: sentAgain, after: { sentAgain } };
      });
    },

    async disable(by, endpoint, reason) {
      const { owner, environment, origin } = endpoint;
      return audit.run(by, deedOf('endpoint.disable', endpoint, reason), async () => {
        const value = await disableEndpoint(connection, { ownerId: owner.id, environment, origin }, now());
        return { value };
      });
    },
  };
}

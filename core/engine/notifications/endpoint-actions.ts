/** Actions of operators on the endpoints of merchants. Each one is audited. */
import type { Connection } from 'mongoose';
import type { Actor, Audit, AuditedAction } from '../audit/index.ts';
import type { Environment } from '../../base/environment.ts';
import { endpointModel } from '../../database/collections/endpoint.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { invalidField } from '../../base/errors.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { disableEndpoint, endpointId } from './endpoint.ts';
import type { Notifications } from './notifications.ts';
import { toDueRow, toTestEvent } from './test-event.ts';

/** Names the addresses of an owner that have the same environment and origin. */
export interface EndpointName {
  readonly owner: { readonly id: number; readonly name: string };
  readonly environment: Environment;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** One address of an endpoint. */
export interface EndpointAddress extends Pick<EndpointName, 'owner' | 'environment'> {
  readonly url: string;
}

export interface EndpointActions {
  /** Returns how many kept notifications are sent again; undefined: the endpoint does not fail. */
  enable(by: Actor, endpoint: EndpointName, reason?: string): Promise<number | undefined>;
  /**
   * Within 30 s only test events are sent to the endpoint. Notifications that wait are kept. False: it was disabled
   * before.
   */
  disable(by: Actor, endpoint: EndpointName, reason?: string): Promise<boolean>;
  /**
   * Sends a test event now, also to a disabled endpoint. Returns the id of its notification. Throws VAL002 if this
   * process knows that nothing is sent to such an address.
   */
  test(by: Actor, address: EndpointAddress): Promise<string>;
}

export function createEndpointActions({
  connection,
  audit,
  notifications,
  now,
}: {
  readonly connection: Connection;
  readonly audit: Pick<Audit, 'run'>;
  /** Absent: the worker that delivers checks the address, and finds the event without being notified. */
  readonly notifications?: Pick<Notifications, 'insert' | 'refusalOf'>;
  readonly now: () => Date;
}): EndpointActions {
  function actionOf(
    act: AuditedAction['act'],
    { owner, environment, origin }: EndpointName,
    reason: string | undefined,
  ): AuditedAction {
    return { act, subject: { type: 'endpoint', id: `${owner.name}:${environment}:${origin}` }, reason };
  }

  async function stateOf(id: string): Promise<object> {
    const found = await endpointModel(connection).findById(id).lean();
    if (!found) return { state: 'working' };
    const { failingSince, disabledAt } = found;
    return disabledAt ? { state: 'disabled', failingSince, disabledAt } : { state: 'failing', failingSince };
  }

  return {
    async enable(by, endpoint, reason) {
      const id = endpointId(endpoint.owner.id, endpoint.environment, endpoint.origin);
      return audit.run(by, actionOf('endpoint.enable', endpoint, reason), async () => {
        const before = await stateOf(id);
        const sentAgain = await enableEndpoint(connection, id, now());
        const after = await stateOf(id);
        return sentAgain < 0
          ? { value: undefined, before, after }
          : { value: sentAgain, before, after: { ...after, sentAgain } };
      });
    },

    async disable(by, endpoint, reason) {
      const { owner, environment, origin } = endpoint;
      const id = endpointId(owner.id, environment, origin);
      return audit.run(by, actionOf('endpoint.disable', endpoint, reason), async () => {
        const before = await stateOf(id);
        const value = await disableEndpoint(connection, { ownerId: owner.id, environment, origin }, now());
        return { value, before, after: await stateOf(id) };
      });
    },

    async test(by, { owner, environment, url }) {
      const refusal = notifications?.refusalOf(url);
      if (refusal !== undefined) throw invalidField('url', url, `cannot receive notifications: ${refusal}`);
      const origin = URL.canParse(url) ? new URL(url).origin : url;
      return audit.run(by, actionOf('endpoint.test', { owner, environment, origin }, undefined), async () => {
        const event = toTestEvent(owner.id, environment, url, now());
        if (notifications) await notifications.insert([event]);
        else await notificationModel(connection).create(toDueRow(event));
        return { value: event.id, after: { notification: event.id } };
      });
    },
  };
}

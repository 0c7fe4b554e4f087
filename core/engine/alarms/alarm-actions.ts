/** Actions of operators on alarms. Each one is audited. */
import type { Actor, Audit } from '../audit/index.ts';
import type { Alarm } from '../../database/collections/alarm.ts';
import { notFound } from '../../base/errors.ts';
import type { AlarmStore } from './store.ts';

export interface AlarmActions {
  /** Stops the reminders. False: the alarm was not open. Throws NF001 for an unknown alarm. */
  acknowledge(by: Actor, id: string, reason?: string): Promise<boolean>;
  /**
   * Resolves an alarm, which opens again if it is raised again. False: it was resolved before. Throws NF001 like above.
   */
  resolve(by: Actor, id: string, reason?: string): Promise<boolean>;
}

export interface AlarmActionsDeps {
  readonly alarms: Pick<AlarmStore, 'get' | 'acknowledge' | 'resolve'>;
  readonly audit: Pick<Audit, 'run'>;
}

export function createAlarmActions({ alarms, audit }: AlarmActionsDeps): AlarmActions {
  async function change(
    act: 'acknowledge' | 'resolve',
    from: readonly Alarm['state'][],
    to: Alarm['state'],
    [by, id, reason]: Parameters<AlarmActions['resolve']>,
  ): Promise<boolean> {
    const found = await alarms.get(id);
    if (!found) throw notFound(`alarm ${id}`);
    // An action without an effect is not audited.
    if (!from.includes(found.state)) return false;
    const { state } = found;
    return audit.run(by, { act: `alarm.${act}`, subject: { type: 'alarm', id }, reason }, async () => {
      const value = await alarms[act](id, { by: by.name, reason });
      return { value, before: { state }, after: { state: value ? to : state } };
    });
  }

  return {
    acknowledge: async (...given) => change('acknowledge', ['open'], 'acknowledged', given),
    resolve: async (...given) => change('resolve', ['open', 'acknowledged'], 'resolved', given),
  };
}

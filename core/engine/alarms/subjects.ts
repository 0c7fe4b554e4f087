/** The subjects of alarms. Two problems that need separate attention have two subjects. */
import type { AlarmSubject } from '../../database/collections/alarm.ts';
import type { Environment } from '../../base/environment.ts';
import { maskText } from '../../base/log/log-masks.ts';

/** `about` separates further problems of the payment. */
export function paymentSubject(id: number, about?: string): AlarmSubject {
  return { type: 'payment', id: idOf(String(id), 'live', about) };
}

/**
 * Problems of test payments are separate from those of live payments. `adapter` is the name of an adapter, or the
 * reference of one of its accounts (`<adapter>/<account>`). `about` separates further problems.
 */
export function adapterSubject(adapter: string, environment: Environment, about?: string): AlarmSubject {
  return { type: 'adapter', id: idOf(adapter, environment, about) };
}

/** A merchant in one environment, or one of its addresses there. */
export function ownerSubject(ownerId: number, environment: Environment, origin?: string): AlarmSubject {
  return { type: 'owner', id: idOf(String(ownerId), environment, origin) };
}

/**
 * Returns a provider's status or decline code as part of a subject. Providers choose these texts. So the result is
 * short, and contains no id, quote or control character.
 */
export function aboutStatus(kind: string, status: string): string {
  const plain = maskText(status).replaceAll(/\d{4,}/g, '#');
  return `${kind} ${plain.replaceAll(/[^\p{L}\p{N} _.:+#[\]-]/gu, '_').slice(0, maxStatusLength)}`;
}

const testSide = ' (test)';
const maxStatusLength = 40;

function idOf(name: string, environment: Environment, about?: string): string {
  return `${name}${environment === 'live' ? '' : testSide}${about === undefined ? '' : `: ${about}`}`;
}

export interface SubjectParts {
  /** The reference of an account of an adapter, or the id of an owner or a payment. */
  readonly name: string;
  readonly environment: Environment;
  readonly about: string | undefined;
}

/** The parts of a subject that is an adapter, an owner or a payment. A payment shows no environment. */
export function partsOf({ id }: Pick<AlarmSubject, 'id'>): SubjectParts {
  const [, name = id, side, about] = /^([^ :]+)( \(test\))?(?:: (.*))?$/s.exec(id) ?? [];
  return { name, environment: side === undefined ? 'live' : 'test', about };
}

/** The name of the adapter that an alarm is about, in either environment and for any of its accounts. */
export function adapterOf(subject: Pick<AlarmSubject, 'id'>): string {
  return partsOf(subject).name.split('/', 1)[0]!;
}

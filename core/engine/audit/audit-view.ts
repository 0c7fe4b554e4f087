import type { Actor, AuditEntry, AuditSubject } from '../../database/collections/audit-entry.ts';

/**
 * An action with its result. The state is `begun` if there is no result: the action is in progress, or its process died
 * before the end.
 */
export interface AuditView {
  readonly sequence: number;
  readonly at: Date;
  readonly actor: Actor;
  readonly act: string;
  readonly subject: AuditSubject;
  readonly reason: string | null;
  readonly state: AuditEntry['state'];
  readonly before: unknown;
  readonly after: unknown;
  readonly error: string | null;
  readonly hash: string;
}

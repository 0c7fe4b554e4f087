/** The form of an action, with one button. */
import type { SafeHtml } from '@remix-run/html-template';
import { postForm, type ActionForm } from '../../html/components/parts.ts';
import type { Session } from '../sign-in/session.ts';

/** Null if the operator's role may not perform the action. */
export function actionForm(session: Session, role: 'support' | 'admin', form: ActionForm): SafeHtml | null {
  return isAllowed(session.operator.role, role) ? postForm(session, form) : null;
}

/** `admin` may perform every action, `support` those that are not dangerous, `viewer` none. */
export function isAllowed(role: Session['operator']['role'], needed: 'support' | 'admin'): boolean {
  return role === 'admin' || (role === 'support' && needed === 'support');
}

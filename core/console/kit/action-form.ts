/** The button of an act, for who may do it. */
import type { SafeHtml } from '@remix-run/html-template';
import { postForm, type ActionForm } from '../../html/dashboard/parts.ts';
import type { Session } from '../sign-in/session.ts';

/** Null where the role of who looks may not do it. */
export function actionForm(
  { operator, formToken }: Session,
  role: 'support' | 'admin',
  form: ActionForm,
): SafeHtml | null {
  return isAllowed(operator.role, role) ? postForm(formToken, form) : null;
}

/** `support` may do what is not dangerous, `admin` everything, `viewer` nothing. */
export function isAllowed(role: Session['operator']['role'], needed: 'support' | 'admin'): boolean {
  return role === 'admin' || (role === 'support' && needed === 'support');
}

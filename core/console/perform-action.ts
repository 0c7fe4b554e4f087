/** Runs the actions of the console: asks for confirmation, says what was done, and shows a refused form again. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { errorKinds, GatewayError, type FieldError } from '../base/errors.ts';
import { confirmForm, oneTimeSecret, pageField, refusalNote, type Confirmation } from '../html/components/parts.ts';
import type { Content } from '../html/components/frame.ts';
import { queryOf } from '../html/components/query.ts';
import { createSessionCookie, isFormOf } from '../html/components/session-cookie.ts';
import type { Ctx } from '../http/state.ts';
import { createSubmitOnce, isConfirmationId, type ActionOutcome } from '../http/submit-once.ts';
import type { ConsoleDeps } from './deps.ts';
import { foreignFormError, type ActionOptions, type ConsoleAction } from './kit/action.ts';
import { isAllowed } from './kit/action-form.ts';
import { readForm, type FormValues, type SubmittedForm } from './kit/form-values.ts';
import { sections, sendConsolePage } from './kit/page.ts';
import type { Pages } from './pages.ts';
import type { Session } from './sign-in/session.ts';
import { toConsolePath } from './sign-in/sign-in.ts';
import type { SingleSignOn } from './sign-in/single-sign-on.ts';
import { viewAt } from './views.ts';

/** What an operator has just done is shown on the page that follows within this time. */
const shownWithinSeconds = 60;

export interface ActionRunner {
  /** Throws a `GatewayError` if the action was refused and its form is on no page. */
  run(ctx: Ctx, session: Session, action: ConsoleAction): Promise<void>;
  /** What the operator has just done, if the page is the one that follows the action. It is shown once. */
  takeDone(ctx: Ctx): string | undefined;
}

interface ActionRunnerDeps {
  readonly deps: ConsoleDeps;
  readonly signOn: Pick<SingleSignOn, 'addressOf'>;
  readonly pages: Pick<Pages, 'show'>;
}

export function createActionRunner({ deps, signOn, pages }: ActionRunnerDeps): ActionRunner {
  const submitOnce = createSubmitOnce({ ...deps, pages: 'console' });
  const lastAction = createSessionCookie({
    name: 'gateway_console_done',
    path: '/ops',
    isSecure: true,
    schema: v.object({ text: v.string() }),
    context: { collection: 'operators', id: 'console', member: 'lastAction' },
    encrypter: deps.encrypter,
  });

  async function performAction(
    ctx: Ctx,
    session: Session,
    action: ConsoleAction,
    { values, file, stored }: SubmittedForm,
  ): Promise<void> {
    const { operator } = session;
    const { id = '' } = ctx.params as { id?: string };
    demandRole(session, typeof action.role === 'function' ? action.role(values) : action.role);
    const by = { type: 'console', name: `${operator.name} (${operator.keyId})`, from: signOn.addressOf(ctx) } as const;
    const run = async (more: ActionOptions): Promise<ActionOutcome> => {
      const result = await action.run(deps, by, id, values, more);
      if (result && 'leadsTo' in result) return result;
      const back = await action.back(deps, id, values);
      if (result && 'lines' in result) return { shown: result, back: result.back ?? back };
      const { done = 'Action submitted.' } = result ?? action;
      const isAudited = !(result && 'isAudited' in result);
      const leadsTo = withDone(returnAddress(back, values));
      return { leadsTo, done: isAudited ? `${done} Recorded in the audit log.` : done };
    };
    const runNow = async (): Promise<void> =>
      showOutcome(ctx, session, action, await run({ ...(file && { file }), ...(stored && { stored }) }));
    if (!action.effect) return runNow();
    const { sure, once: confirmationId = '' } = values;
    if (sure !== 'yes' || !isConfirmationId(confirmationId)) {
      const asked = await action.effect(deps, id, values);
      if (!asked) return runNow();
      const back = toConsolePath(values[pageField] ?? (await action.back(deps, id, values)));
      return askToConfirm(ctx, session, action, { asked, back, values, parent: await parentAt(back) });
    }
    const confirmed = { by: by.name, confirmationId, fingerprint: fingerprintOf(ctx.path, values) };
    showOutcome(ctx, session, action, await submitOnce(confirmed, async (operationId) => run({ operationId })));
  }

  /** The page that a question leads back to, for its breadcrumb. Undefined: it is gone. */
  async function parentAt(address: string): Promise<Content['parent']> {
    const { pathname } = new URL(address, 'http://console');
    const found = viewAt(pathname);
    if (!found) return undefined;
    const { view, id } = found;
    try {
      return { title: (await view.title?.(id, deps)) ?? sections[view.section].title, path: address };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return undefined;
    }
  }

  /** Shows the page of a refused form again, with what was typed. False: the form named no page, or it is gone. */
  async function showAgain(
    ctx: Ctx,
    session: Session,
    { label }: ConsoleAction,
    values: FormValues,
    { kind, message, details }: GatewayError,
  ): Promise<boolean> {
    const page = values[pageField];
    if (page === undefined || toConsolePath(page) !== page) return false;
    const { pathname, searchParams } = new URL(page, 'http://console');
    const found = viewAt(pathname);
    if (!found) return false;
    const errors = (details['errors'] ?? []) as readonly FieldError[];
    const refused = { action: ctx.path, values, message, errors };
    const request = { id: found.id, query: queryOf({ query: Object.fromEntries(searchParams) }) };
    const more = { status: errorKinds[kind].status, refusal: refusalNote(label, message), address: page };
    try {
      await pages.show(ctx, found.view, { ...session, page, refused }, request, more);
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return false;
    }
  }

  /** A redirect carries what was done in a cookie, so that no address can make our page show text of its own. */
  function showOutcome(ctx: Ctx, session: Session, { section }: ConsoleAction, outcome: ActionOutcome): void {
    if ('shown' in outcome) {
      const { title, lines, ...more } = outcome.shown;
      return sendConsolePage(ctx, { title, section, body: oneTimeSecret(lines, outcome.back, more), session });
    }
    if (outcome.done !== undefined)
      ctx.append('Set-Cookie', lastAction.set({ text: outcome.done }, shownWithinSeconds));
    ctx.status = 303;
    ctx.redirect(outcome.leadsTo);
  }

  /** Identifies what the operator confirmed. It does not depend on the session of the form. */
  function fingerprintOf(path: string, values: FormValues): string {
    const wanted = Object.entries(values).filter(([name]) => name !== 'formToken' && name !== pageField);
    const members = wanted.toSorted(([one], [other]) => (one < other ? -1 : 1));
    return deps.encrypter.fingerprint(`console act ${JSON.stringify([path, members])}`);
  }

  return {
    async run(ctx, session, action) {
      // Nothing of a large file is read for a user who may not upload it.
      if (typeof action.upload === 'object' && typeof action.role === 'string') demandRole(session, action.role);
      const form = await readForm(ctx, action.upload);
      const { values, stored } = form;
      try {
        if (!isFormOf(session, values['formToken'])) throw foreignFormError();
        await performAction(ctx, session, action, form);
      } catch (error) {
        await stored?.handle.close();
        if (!(error instanceof GatewayError) || !(await showAgain(ctx, session, action, values, error))) throw error;
      }
    },

    takeDone(ctx) {
      if (ctx.query['done'] !== 'yes') return undefined;
      const said = lastAction.read(ctx.get('Cookie'));
      if (said) ctx.append('Set-Cookie', lastAction.ending);
      return said?.text;
    },
  };
}

/** Throws AUTH002. */
function demandRole({ operator }: Session, needed: 'support' | 'admin'): void {
  if (!isAllowed(operator.role, needed))
    throw new GatewayError('FORBIDDEN', `the role ${operator.role} may not do this`);
}

function askToConfirm(
  ctx: Ctx,
  session: Session,
  { section }: ConsoleAction,
  {
    asked,
    back,
    values,
    parent,
  }: {
    readonly asked: Confirmation;
    readonly back: string;
    readonly values: FormValues;
    readonly parent: Content['parent'];
  },
): void {
  sendConsolePage(ctx, {
    title: asked.title,
    section,
    body: confirmForm({ action: ctx.path, asked, back, values: { ...values, once: randomUUID() } }),
    parent,
    mode: asked.mode,
    isQuestion: true,
    session,
  });
}

/** The page of the form with its filters, if the action returns to that page. */
function returnAddress(back: string, { [pageField]: page = '' }: FormValues): string {
  return page.split('?')[0] === back ? toConsolePath(page) : back;
}

function withDone(address: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}done=yes`;
}

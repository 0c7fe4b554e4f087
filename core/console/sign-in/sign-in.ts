/** The pages on which an operator signs in to the console and out. */
import type { Router } from '@koa/router';
import { html } from '@remix-run/html-template';
import { createAddressBudget } from '../../engine/access/index.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Ctx, RequestState } from '../../http/state.ts';
import { foreignFormError } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import { sendPlainPage } from '../kit/page.ts';
import { copyable } from '../../html/components/parts.ts';
import { queryOf } from '../../html/components/query.ts';
import { isFormOf } from '../../html/components/session-cookie.ts';
import type { Session, Sessions } from './session.ts';
import { readFormValues } from '../kit/form-values.ts';

const signInsPerMinute = 10;

interface SignInDeps {
  readonly deps: Pick<ConsoleDeps, 'now'>;
  readonly sessions: Sessions;
  readonly sessionOf: (ctx: Ctx) => Promise<Session | undefined>;
}

export function addSignIn(router: Router<RequestState>, { deps, sessions, sessionOf }: SignInDeps): void {
  const signIns = createAddressBudget(signInsPerMinute, 'failed sign-ins from one address', deps);

  router.get('/ops/sign-in', (ctx) => showSignIn(ctx, 200, queryOf(ctx)['to']));
  router.post('/ops/sign-in', async (ctx) => {
    const { key = '', to } = await readFormValues(ctx);
    try {
      ctx.set('Set-Cookie', await sessions.begin(key));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind !== 'UNAUTHORIZED') throw error;
      await signIns.demand(ctx.ip);
      return showSignIn(ctx, 401, to, `${error.message}.`);
    }
    ctx.status = 303;
    ctx.redirect(toConsolePath(to));
  });
  router.post('/ops/sign-out', async (ctx) => {
    const session = await sessionOf(ctx);
    if (!session) return;
    if (!isFormOf(session, (await readFormValues(ctx))['formToken'])) throw foreignFormError();
    ctx.set('Set-Cookie', await sessions.end(session));
    ctx.status = 303;
    ctx.redirect('/ops/sign-in');
  });
}

function showSignIn(ctx: Ctx, status: number, to: string | undefined, problem?: string): void {
  sendPlainPage(
    ctx,
    status,
    'Sign in',
    html`${problem === undefined ? null : html`<p class="note bad" role="alert">${problem}</p>`}
      <form method="post" action="/ops/sign-in">
        <input type="hidden" name="to" value="${toConsolePath(to)}" />
        <label
          >Operator's key<input
            type="password"
            name="key"
            placeholder="gk_ops_…"
            autocomplete="current-password"
            required
            autofocus
            spellcheck="false"
        /></label>
        <button class="main">Sign in</button>
      </form>
      <p class="hint">
        Ask your administrator for a key, or create one on a host of the service:
        ${copyable('paywright operators create "Your Name"')}
      </p>`,
  );
}

/**
 * The address if it is a page of the console, otherwise `/ops`. An address may contain every character of an id, but no
 * `..` in any encoding.
 */
export function toConsolePath(to = ''): string {
  const [, segments] = /^\/ops((?:\/[\w.:~%-]+)*)(?:\?[^\\]*)?$/.exec(to) ?? [];
  return segments !== undefined && segments.split('/').every(isPlain) ? to : '/ops';
}

function isPlain(segment: string): boolean {
  try {
    return !/^\.+$|\\/.test(decodeURIComponent(segment));
  } catch {
    return false; // The encoding is not valid.
  }
}

/** Shows errors of the console, and wrong addresses, as a page, if the client is a browser. */
import { html } from '@remix-run/html-template';
import type { Logger } from 'pino';
import { errorKinds } from '../../base/errors.ts';
import { toGatewayError } from '../../http/index.ts';
import type { Step } from '../../http/state.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { linkButton, toSentence } from '../../html/components/parts.ts';
import { sendPlainPage } from '../kit/page.ts';

const titles: Readonly<Record<number, string>> = {
  404: 'Page not found',
  413: 'Request too large',
  429: 'Too many attempts',
  503: 'Temporarily unavailable',
};

export function createErrorPages({
  metrics,
  log,
}: {
  readonly metrics: Pick<Metrics, 'httpProblems'>;
  readonly log: Pick<Logger, 'error'>;
}): Step {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      if (!ctx.get('Accept').includes('text/html') || /^\/api(\/|$)/.test(ctx.path)) throw thrown;
      const error = toGatewayError(thrown, ctx.state, log);
      const { code, status } = errorKinds[error.kind];
      if (!/^\/ops(\/|$)/.test(ctx.path) && status !== 404) throw error;
      metrics.httpProblems.inc({ code });
      ctx.set({ ...error.headers });
      const again = ctx.method === 'GET' && status !== 404 ? linkButton('Try again', ctx.url, { isMain: false }) : null;
      sendPlainPage(
        ctx,
        status,
        titles[status] ?? 'Something went wrong',
        html`<p>
            ${status === 404 ? 'This address does not exist. Check that it is complete.' : toSentence(error.message)}
          </p>
          <p class="acts">${linkButton('Overview', '/ops')}${again}</p>`,
      );
    }
  };
}

/** Serves endpoints 1 to 7, which pay. */
import { inputKindOf } from '@paywright/contract/core';
import { Router } from '@koa/router';
import { answerPayment } from '../answer.ts';
import type { HttpDeps } from '../deps.ts';
import type { Idempotent } from '../middleware/idempotency.ts';
import type { MerchantGate } from '../middleware/merchant.ts';
import { readPaymentRequestId } from '../input/path-id.ts';
import { refusedCardData } from '../input/card-data.ts';
import { accept } from '../input/form.ts';
import { readConfirmation, payQuery, readH2hInput, readPayerInput } from './schema.ts';
import { readQuery } from '../input/query.ts';
import { readBody } from '../input/read-body.ts';
import type { RequestState } from '../state.ts';
import { collectWarnings } from '../response-warnings.ts';

export function paymentRoutes(
  { payments, config: { refuseCardNumbers }, now }: HttpDeps,
  { writing }: MerchantGate,
  idempotent: Idempotent,
): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const gate = writing('payments:write');

  router.post(
    '/payments/creditCard/:id',
    ...gate,
    idempotent(
      async (ctx, caller) => {
        if (refuseCardNumbers) throw refusedCardData('number');
        const warn = collectWarnings(ctx.state);
        const input = readPayerInput('card', readBody(ctx), now(), warn);
        const [{ transaction3dsId }] = accept(readQuery(payQuery, ctx.query));
        const id = readPaymentRequestId(ctx.params['id']);
        if (transaction3dsId !== undefined && input.providerAccount !== undefined)
          warn({ field: 'providerAccount', message: 'is ignored: the attempt keeps its account' });
        const answer =
          transaction3dsId === undefined
            ? payments.pay(caller, id, input)
            : payments.resume(caller, id, transaction3dsId);
        return answerPayment(ctx, await answer);
      },
      { parameters: payQuery, pays: true },
    ),
  );

  router.post(
    '/payments/h2h/:code',
    ...gate,
    idempotent(
      async (ctx, caller) => {
        const code = Number(ctx.params['code']);
        const inputs = payments.inputKindsOf(code);
        if (!inputs) throw await payments.unknownProvider(code);
        const kinds = refuseCardNumbers ? inputs.filter((kind) => kind !== 'card') : inputs;
        if (kinds.length === 0) throw refusedCardData('number');
        const body = readBody(ctx);
        const warn = collectWarnings(ctx.state);
        const { order, input } = readH2hInput(inputKindOf(kinds, body), body, now(), warn);
        (await payments.warningsOf(caller, order)).forEach(warn);
        return answerPayment(ctx, await payments.payH2h(caller, code, order, input));
      },
      { makesPayment: true, pays: true },
    ),
  );

  router.post(
    '/payments/cardMemberConfirm/:id',
    ...gate,
    idempotent(async (ctx, caller) => {
      const body = readBody(ctx);
      const { paymentId, code } = readConfirmation(body, collectWarnings(ctx.state));
      const id = readPaymentRequestId(ctx.params['id']);
      return answerPayment(ctx, await payments.confirm(caller, id, paymentId, code));
    }),
  );

  router.post(
    '/payments/upi/:id',
    ...gate,
    idempotent(
      async (ctx, caller) => {
        const input = readPayerInput('upi', readBody(ctx), now(), collectWarnings(ctx.state));
        const id = readPaymentRequestId(ctx.params['id']);
        return answerPayment(ctx, await payments.pay(caller, id, input));
      },
      { pays: true },
    ),
  );

  return router;
}

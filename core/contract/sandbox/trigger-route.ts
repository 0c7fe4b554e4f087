/** The route where a running sandbox accepts triggers, in addition to the provider's own addresses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import type { Sandbox } from './sandbox-contract.ts';
import { jsonReply } from './reply.ts';
import { createRouter, type SandboxRequest } from './router.ts';

/** GET lists the events that can be sent, and POST sends one. No provider has an address like this. */
export const triggerPath = '/-/trigger';

const Body = v.object({
  event: v.string(),
  reference: v.string(),
  providerReference: v.nullable(v.string()),
  money: v.object({ amount: v.string(), currency: v.string() }),
  times: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
  forge: v.boolean(),
});
/** The body that is posted to `triggerPath`. */
export type TriggerBody = v.InferOutput<typeof Body>;

const text = (request: SandboxRequest): string => Buffer.from(request.body).toString('utf8');

/** Handles the requests of `paywright trigger`. `listen` adds them to every sandbox. */
export function createTriggerRoute(
  sandbox: Sandbox,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { events = [], causes = {} } = sandbox;
  return createRouter({
    [`GET ${triggerPath}`]: () => jsonReply(200, { events, causes }),
    async [`POST ${triggerPath}`](request) {
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Body), text(request));
      if (!read.success) return jsonReply(400, { events });
      if (!sandbox.trigger || !events.includes(read.output.event)) return jsonReply(404, { events });
      const answers = await sandbox.trigger(read.output);
      const reported = answers.map(({ status, body }) => ({ status, body: Buffer.from(body).toString('utf8') }));
      return jsonReply(200, { answers: reported });
    },
  });
}

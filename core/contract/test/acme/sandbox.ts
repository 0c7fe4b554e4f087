/** Acme's side: charges, reserves, asks for a step, gives money back, and reports each. Faults make it a broken one. */
import {
  choicePage,
  createDeliveries,
  createRouter,
  jsonReply,
  redirectReply,
  type Reply,
  type SandboxRequest,
} from '../../sandbox/index.ts';
import { moneyFromMinor, onlyHeader, type CreateSandbox } from '../../index.ts';
import { sealHeader, type Options } from './protocol.ts';

interface Asked {
  readonly ref: string;
  readonly minor: number;
  readonly cur: string;
  /** Only reserve the money. */
  readonly hold?: boolean;
  /** Ask for a step of the payer, who then comes back to this address. */
  readonly back?: string;
}
type State = 'step' | 'pressed' | 'closed' | 'held' | 'waiting' | 'paid' | 'released';
interface Charge extends Asked {
  state: State;
  returned: number;
}

export interface AcmeFaults {
  readonly keyOf?: (options: Options) => string;
  /** No payment is ever paid. */
  readonly neverPays?: true;
  /** `each`: every refund is refused; `second`: only the first one of a payment is possible. */
  readonly refusesRefunds?: 'each' | 'second';
  /** The state of a refund that was accepted. */
  readonly refundState?: 'paid' | 'waiting';
  /** Refuses to collect and to release reserved money. */
  readonly keepsReserved?: true;
  /** Accepts to collect and to release, and does not do it. */
  readonly forgetsReserved?: true;
  /** Charges when the payer presses the button, without `complete`. */
  readonly chargesSteps?: true;
  /** `never`: no order is closed. `in_words`: the answer says closed, and the payer can still pay. */
  readonly closes?: 'never' | 'in_words';
  /** Reserves nothing: it charges. */
  readonly chargesAll?: true;
  /** Captures reserved money so many sandbox delays after the submission; never by default. */
  readonly capturesAfterDelays?: number;
}

/** A sandbox with these faults; a good one by default. */
export function createAcmeSandbox(faults: AcmeFaults = {}): CreateSandbox<Options> {
  const { keyOf = ({ sealKeys }) => sealKeys[0]!, refundState = 'paid' } = faults;
  return ({ options, baseUrl, publicUrl, delayMs, onDelivery }) => {
    const charges = new Map<string, Charge>();
    const timers = new Set<NodeJS.Timeout>();
    const deliveries = createDeliveries({
      delayMs,
      repeatAfter: [1, 1],
      acknowledged: ({ status }) => status === 200,
      onDelivery,
    });
    const refusal = (error: string): Reply => jsonReply(422, { error, charged: false });
    const notice = ({ ref, minor, cur, state }: Charge): string =>
      JSON.stringify({
        notice: `n-${ref}-${state}`,
        shop: options.shop,
        ref,
        id: `ac-${ref}`,
        state: state === 'pressed' ? 'step' : state,
        minor,
        cur,
      });
    const answer = ({ ref, minor, cur, state }: Charge): Reply =>
      jsonReply(200, { id: `ac-${ref}`, ref, state, minor, cur, page: `${baseUrl}/pages/${ref}` });
    const found = (id: string): Charge | undefined => charges.get(id.replace('ac-', ''));

    /** Moves the charge to a state, and reports it. */
    async function become(charge: Charge, state: State): Promise<void> {
      charge.state = state;
      const body = Buffer.from(notice(charge));
      const request = () => ({
        method: 'POST' as const,
        url: `${publicUrl}/callbacks/acme`,
        headers: { 'X-Acme-Seal': sealHeader(keyOf(options), String(Math.floor(Date.now() / 1000)), body) },
        body,
      });
      await deliveries.play([{ name: state, after: 1, request }]);
    }
    function captureLater(charge: Charge, afterMs: number): void {
      const capture = (): void => {
        if (charge.state === 'held') void become(charge, 'paid');
      };
      timers.add(setTimeout(capture, afterMs));
    }
    const settle = (charge: Charge): Promise<void> => become(charge, faults.neverPays ? 'waiting' : 'paid');

    async function pay(request: SandboxRequest): Promise<Reply> {
      const asked = JSON.parse(request.text() ?? '') as Asked;
      const charge: Charge = { ...asked, state: 'step', returned: 0 };
      charges.set(asked.ref, charge);
      if (asked.hold && !faults.chargesAll) {
        await become(charge, 'held');
        const { capturesAfterDelays } = faults;
        if (capturesAfterDelays === 0) charge.state = 'paid';
        else if (capturesAfterDelays) captureLater(charge, capturesAfterDelays * delayMs);
      } else if (asked.back === undefined) await settle(charge);
      return answer(asked.hold && !faults.chargesAll ? { ...charge, state: 'held' } : charge);
    }

    async function page(request: SandboxRequest, ref: string): Promise<Reply> {
      const charge = found(ref);
      if (!charge?.back) return jsonReply(404, {});
      if (request.method === 'POST' && charge.state === 'step') {
        charge.state = 'pressed';
        if (faults.chargesSteps) await settle(charge);
      }
      if (request.method === 'POST') return redirectReply(charge.back);
      const summary = { money: moneyFromMinor(charge.minor, charge.cur), shop: options.shop, reference: ref };
      return choicePage({ title: 'Step', action: `/pages/${ref}`, name: 'choice', values: ['pay'], summary });
    }

    async function complete(_: SandboxRequest, ref: string): Promise<Reply> {
      const charge = found(ref);
      if (charge?.state === 'pressed') await settle(charge);
      return charge ? answer(charge) : jsonReply(404, {});
    }

    function close(_: SandboxRequest, ref: string): Reply {
      const charge = found(ref);
      const isOpen = charge?.state === 'step' || charge?.state === 'closed';
      if (!charge || !isOpen || faults.closes === 'never') return refusal('not_open');
      if (faults.closes === undefined) charge.state = 'closed';
      return answer({ ...charge, state: 'closed' });
    }

    function giveBack(request: SandboxRequest, id: string): Reply {
      const charge = found(id);
      const { minor } = JSON.parse(request.text() ?? '') as { readonly minor: number };
      if (charge?.state !== 'paid' || charge.returned + minor > charge.minor) return refusal('not_paid');
      if (faults.refusesRefunds === 'each' || (faults.refusesRefunds && charge.returned > 0)) return refusal('never');
      charge.returned += minor;
      const ref = onlyHeader(request, 'Idempotency-Key');
      return jsonReply(200, { id: `ab-${ref}`, ref, state: refundState, minor, cur: charge.cur });
    }

    const end = (state: State) => async (request: SandboxRequest, id: string) => {
      const charge = found(id);
      if (charge?.state !== 'held' || faults.keepsReserved) return refusal('not_held');
      if (!faults.forgetsReserved) await become(charge, state);
      const ref = onlyHeader(request, 'Idempotency-Key');
      const said = faults.forgetsReserved ? 'waiting' : 'paid';
      return jsonReply(200, { id: `ae-${ref}`, ref, state: said, minor: charge.minor, cur: charge.cur });
    };

    const handle = createRouter(
      {
        'POST /logins/login': () => jsonReply(200, { token: 'login-1' }),
        'POST /charges': pay,
        'GET /charges/:ref': (_, ref) => {
          const charge = found(ref ?? '');
          return charge ? { status: 200, body: notice(charge) } : jsonReply(404, {});
        },
        'POST /charges/:ref/complete': complete,
        'POST /charges/:ref/close': close,
        'POST /charges/:id/back': giveBack,
        'POST /charges/:id/collect': end('paid'),
        'POST /charges/:id/release': end('released'),
        'GET /pages/:ref': page,
        'POST /pages/:ref': page,
      },
      { baseUrl },
    );
    return {
      handle,
      async close() {
        for (const timer of timers) clearTimeout(timer);
        await deliveries.close();
      },
    };
  };
}

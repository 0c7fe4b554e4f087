/** The merchant of the demo: a client of the API. */

export interface Seen {
  readonly status: number;
  readonly id: number;
  readonly code: string | null;
  readonly action: { readonly url: string } | null;
}

export interface Merchant {
  pay(card: string, amount: string): Promise<Seen>;
  refund(id: number): Promise<void>;
  state(id: number): Promise<{ readonly status: number; readonly chargedBack: boolean }>;
  /** When the callbacks of the payment arrived, in milliseconds. */
  callbackTimes(id: number): Promise<readonly number[]>;
}

interface Answer {
  readonly code?: string;
  readonly action?: { readonly url: string } | null;
}

export function createMerchant(url: string, key: string, providerCode: number, notifyUrl: () => string): Merchant {
  async function call(method: 'GET' | 'POST', path: string, body?: string): Promise<Response> {
    const headers = { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'application/json-patch+json' };
    return fetch(`${url}${path}`, { method, headers, signal: AbortSignal.timeout(15_000), ...(body && { body }) });
  }

  async function read<T>(path: string): Promise<T> {
    const response = await call('GET', path);
    if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}`);
    return (await response.json()) as T;
  }

  return {
    async pay(card, amount) {
      const payer = {
        name: 'Ines Duarte',
        email: 'ines.duarte@shop.example',
        phoneNumber: '+351912345678',
        address: 'Rua Augusta 12',
        city: 'Lisboa',
        state: 'LX',
        postalCode: '1100-053',
        country: 'PT',
      };
      const expiration = `12/${String(new Date().getUTCFullYear() + 2).slice(2)}`;
      const order = { number: card, expiration, cvv: '737', unit: 'EUR', notifyUrl: notifyUrl() };
      // The amount stays exactly this text: 25.90.
      const body = `${JSON.stringify({ ...payer, ...order }).slice(0, -1)},"amount":${amount}}`;
      const response = await call('POST', `/payments/h2h/${providerCode}`, body);
      const { code = null, action = null } = (await response.json()) as Answer;
      return { status: response.status, id: Number(response.headers.get('x-payment-request-id')), code, action };
    },
    async refund(id) {
      const response = await call('POST', `/payment-requests/${id}/refund`);
      if (!response.ok) throw new Error(`the refund of ${id} was answered with ${response.status}`);
    },
    async state(id) {
      const { paymentRequestStatusId, chargedBack } = await read<{
        paymentRequestStatusId: number;
        chargedBack: boolean;
      }>(`/payment-requests/${id}`);
      return { status: paymentRequestStatusId, chargedBack };
    },
    async callbackTimes(id) {
      const { items } = await read<{ items: { kind: string; at: string }[] }>(`/payment-requests/${id}/timeline`);
      return items.filter(({ kind }) => kind === 'callback').map(({ at }) => Date.parse(at));
    },
  };
}

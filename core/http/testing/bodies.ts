/** Valid bodies, for tests that make one thing wrong. */

export const payerBody = {
  name: 'Zoë Müller',
  email: 'zoe@example.com',
  phoneNumber: '+4917012345',
  address: 'Hauptstr. 1',
  city: 'Berlin',
  state: 'BE',
  postalCode: '10115',
  country: 'DE',
};
export const cardBody = { ...payerBody, number: '4111111111111111', expiration: '12/30', cvv: '737' };
export const orderBody = { amount: 25.9, unit: 'EUR' };
export const tokenBody = { ...payerBody, token: 'tok_marker_51' };
const upiBody = { ...payerBody, upiId: 'marker.user@upi' };

/** Every endpoint that accepts a body, with a valid body. */
export const endpoints = {
  '/payments/creditCard/10042': cardBody,
  '/payments/h2h/11': { ...cardBody, ...orderBody },
  '/payments/h2h/27': { ...payerBody, ...orderBody },
  '/payments/h2h/51': { ...tokenBody, ...orderBody },
  '/payments/h2h/31': { ...upiBody, ...orderBody },
  '/payments/upi/10042': upiBody,
  '/payments/cardMemberConfirm/10042': { paymentId: 'A-7H2K9Q', code: 'marker-481516' },
  '/payment-requests': orderBody,
} as const;
export type Endpoint = keyof typeof endpoints;

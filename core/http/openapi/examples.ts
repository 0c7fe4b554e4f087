/** Data that the examples of several resources share. A test validates every example against its schema. */

/** The time of everything in the examples. */
export const exampleAt = '2026-11-21T12:00:00.000Z';

export const payer = {
  name: 'Ines Duarte',
  email: 'ines.duarte@shop.example',
  phoneNumber: '+351912345678',
  address: 'Rua Augusta 12',
  city: 'Lisboa',
  state: 'LX',
  postalCode: '1100-053',
  country: 'PT',
} as const;

export const order = {
  amount: 25.9,
  unit: 'EUR',
  referenceId: 'order-4711',
  notifyUrl: 'https://shop.example/payments',
} as const;

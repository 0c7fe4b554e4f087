/** Request bodies of merchants. */
export const payer = {
  name: 'Ines Duarte',
  email: 'ines.duarte@shop.example',
  phoneNumber: '+351912345678',
  address: 'Rua Augusta 12',
  city: 'Lisboa',
  state: 'LX',
  postalCode: '1100-053',
  country: 'PT',
};

/** A card payment for the h2h endpoint. The card number decides what the sandbox does. */
export function cardBody(
  number: string,
  amount: number | string = 25.9,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const expiration = `12/${String(new Date().getUTCFullYear() + 3).slice(2)}`;
  const body = { ...payer, number, expiration, cvv: '737', unit: 'EUR', ...more };
  // The amount keeps its spelling: 25.90 stays 25.90.
  return `${JSON.stringify(body).slice(0, -1)},"amount":${amount}}`;
}

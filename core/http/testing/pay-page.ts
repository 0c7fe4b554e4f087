/** The data of a visit of the payer's page. Tests change the members that they are about. */
import type { PayPage, PayPageDetails } from '../../engine/payments/types/pay-page.ts';

/** A visit without the key of the link. */
export const plainPage: PayPage = {
  merchant: {
    name: 'Shop <b>"1" & \'2\'',
    brand: { logo: null, colour: null, support: null, terms: null },
  },
  state: 'pending',
  stepLost: false,
  isSlow: false,
  leaveTo: null,
  action: null,
  returnPart: 'return-part',
  stamp: 'stamp-1',
  details: null,
  due: { amount: '25.90', unit: 'EUR', currency: 'EUR', isTest: false },
};

export const pageDetails: PayPageDetails = {
  recipientName: null,
  referenceId: null,
  notes: null,
  amount: '25.90',
  unit: 'EUR',
  currency: 'EUR',
  isTest: false,
  ways: [],
  known: {},
  attempts: 1,
  startedAt: null,
  otherWay: null,
  failure: null,
  expiresAt: null,
  method: null,
  wayTitle: null,
  coins: null,
  receipt: null,
};

/** The words of the payer's page in English: what every other language has to have. */
import type { DeclineCode } from '@paywright/contract';

/** The states of a payment that the payer's page has words for. */
export type PayState = 'created' | 'pending' | 'paid' | 'failed' | 'refunded' | 'expired' | 'cancelled';

/** Of one language. A function puts in what a sentence is about, already written as the language writes it. */
export interface Words {
  /** Its own name, for the switch. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  /** What the switch is called. */
  readonly language: string;

  readonly testMode: string;
  /** The merchant's help, and its terms. */
  readonly support: string;
  readonly terms: string;
  readonly cardIsNotKept: string;
  readonly paymentTo: (merchant: string) => string;
  readonly pay: (amount: string) => string;
  readonly order: string;
  readonly description: string;
  readonly recipient: string;
  /** Until when it can be paid. */
  readonly payBy: string;

  readonly howToPay: string;
  readonly ways: {
    readonly card: string;
    readonly upi_intent: string;
    readonly upi_qr: string;
    readonly upi_collect: string;
    readonly ewallet_redirect: (provider: string) => string;
    readonly hosted_page: (provider: string) => string;
    readonly crypto: (coin: string) => string;
  };
  /** What happens after the button. */
  readonly wayHints: {
    readonly upi_intent: string;
    readonly upi_qr: string;
    readonly upi_collect: string;
    readonly ewallet_redirect: (provider: string) => string;
    readonly hosted_page: (provider: string) => string;
    readonly crypto: (coin: string) => string;
  };
  readonly anyCoin: string;

  readonly fields: {
    readonly number: string;
    readonly expiration: string;
    readonly cvv: string;
    readonly upiId: string;
    readonly code: string;
    readonly nameOnCard: string;
    readonly name: string;
    readonly email: string;
    readonly phoneNumber: string;
    readonly address: string;
    readonly city: string;
    readonly state: string;
    readonly postalCode: string;
    readonly country: string;
  };
  readonly hints: {
    readonly expiration: string;
    readonly cvv: string;
    readonly upiId: string;
    readonly phoneNumber: string;
  };
  readonly chooseCountry: string;
  readonly contact: string;
  readonly billingAddress: string;
  readonly knownAlready: (merchant: string) => string;
  readonly change: string;

  readonly errors: {
    readonly some: string;
    readonly missing: string;
    readonly number: string;
    readonly expiration: string;
    readonly expired: string;
    readonly cvv: string;
    readonly upiId: string;
    readonly email: string;
    readonly phoneNumber: string;
    readonly country: string;
    readonly code: string;
    readonly other: string;
    readonly notThisWay: string;
    readonly tooOften: string;
  };

  readonly failedTitle: string;
  /** A code that has none is said as 05, which names no reason. */
  readonly declines: { readonly [C in DeclineCode]?: string } & { readonly '05': string };
  readonly threeDsFailed: string;
  readonly nothingCharged: string;
  readonly tryAgain: string;

  readonly states: Readonly<Record<PayState, { readonly title: string; readonly text: string }>>;
  readonly waiting: { readonly once: string; readonly mayClose: string };
  /** Who they wait for, by the way to pay. */
  readonly waitsFor: { readonly bank: string; readonly upi: string; readonly coins: string };
  readonly receipt: {
    readonly merchant: string;
    readonly amount: string;
    readonly date: string;
    readonly number: string;
    readonly way: string;
    readonly refunded: string;
    readonly print: string;
    /** `4242` of a card. */
    readonly endingIn: (brand: string, digits: string) => string;
  };
  readonly noWay: string;
  readonly stepLost: string;
  readonly checking: { readonly title: string; readonly text: string };

  readonly bankStep: { readonly title: string; readonly text: string };
  readonly codeStep: { readonly title: string; readonly text: string };
  readonly upiStep: {
    readonly title: string;
    readonly scanTitle: string;
    readonly collect: string;
    readonly intent: string;
    readonly qr: string;
    readonly notices: string;
    readonly open: string;
    readonly code: string;
  };
  readonly cryptoStep: {
    readonly title: string;
    readonly open: string;
    readonly code: string;
    readonly onlyThis: (coin: string, network: string) => string;
    readonly withMemo: string;
    readonly notices: string;
    readonly received: (amount: string) => string;
    /** Once nothing more is waited for. */
    readonly arrived: (amount: string) => string;
    readonly missing: (amount: string) => string;
    readonly excess: (amount: string) => string;
    readonly tooLate: string;
  };
  readonly coin: {
    readonly amount: string;
    readonly network: string;
    readonly address: string;
    readonly memo: string;
    readonly copy: string;
    readonly copied: string;
    readonly copyIt: (what: string) => string;
  };
  readonly until: string;
  readonly timeLeft: string;
  readonly goOn: string;
  readonly confirm: string;
  readonly backTo: (merchant: string) => string;
  /** `{seconds}` is where the seconds are: `10 seconds`. */
  readonly leavesIn: (merchant: string) => string;
  readonly seconds: Plural;
  readonly stay: string;
  readonly noConnection: string;
  readonly sending: string;

  readonly statuses: Readonly<Record<StatusWord, { readonly title: string; readonly text: string }>>;
}

/** By the number, which is at `{count}`: the categories of CLDR that the language has. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

export type StatusWord = 200 | 400 | 403 | 404 | 410 | 413 | 429 | 500 | 503;

export const en: Words = {
  name: 'English',
  direction: 'ltr',
  language: 'Language',

  testMode: 'Test: no money moves',
  support: 'Help',
  terms: 'Terms',
  cardIsNotKept: 'Your card is not kept here.',
  paymentTo: (merchant) => `Payment to ${merchant}`,
  pay: (amount) => `Pay ${amount}`,
  order: 'Order',
  description: 'For',
  recipient: 'Recipient',
  payBy: 'Pay by',

  howToPay: 'How would you like to pay?',
  ways: {
    card: 'Card',
    upi_intent: 'UPI app on this phone',
    upi_qr: 'UPI QR code',
    upi_collect: 'UPI ID',
    ewallet_redirect: (provider) => `E-wallet, ${provider}`,
    hosted_page: (provider) => `${provider}’s page`,
    crypto: (coin) => coin,
  },
  wayHints: {
    upi_intent: 'Your UPI app opens, and you approve the payment there.',
    upi_qr: 'You get a QR code to scan with any UPI app.',
    upi_collect: 'You get a request in your UPI app, and approve it there.',
    ewallet_redirect: (provider) => `You go on to ${provider} and come back here.`,
    hosted_page: (provider) => `You go on to ${provider}’s page, pay there, and come back here.`,
    crypto: (coin) => `You get an address and the exact amount of ${coin} to send.`,
  },
  anyCoin: 'Cryptocurrency',

  fields: {
    number: 'Card number',
    expiration: 'Expiry date',
    cvv: 'Security code',
    upiId: 'UPI ID',
    code: 'Code',
    nameOnCard: 'Name on card',
    name: 'Full name',
    email: 'Email',
    phoneNumber: 'Phone',
    address: 'Street and number',
    city: 'City',
    state: 'State or region',
    postalCode: 'Postal code',
    country: 'Country or region',
  },
  hints: {
    expiration: 'MM/YY',
    cvv: '3 or 4 digits',
    upiId: 'name@bank',
    phoneNumber: 'With country code, such as +351 912 345 678',
  },
  chooseCountry: 'Choose…',
  contact: 'Contact',
  billingAddress: 'Billing address',
  knownAlready: (merchant) => `${merchant} gave us these details:`,
  change: 'Change',

  errors: {
    some: 'Please check what is marked below.',
    missing: 'Please fill this in.',
    number: 'This is not a card number. Please check the digits.',
    expiration: 'Month and year, such as 08/29.',
    expired: 'This card has expired.',
    cvv: 'The security code has 3 or 4 digits.',
    upiId: 'A UPI ID looks like name@bank.',
    email: 'An email address looks like name@example.com.',
    phoneNumber: 'The number with its country code has 10 to 14 characters.',
    country: 'Please choose a country.',
    code: 'This code is not right. Please check it and try again.',
    other: 'Please check this.',
    notThisWay: 'This payment cannot be made this way. Please choose another one, or ask the shop.',
    tooOften: 'It was tried too often. Please wait an hour, or ask the shop.',
  },

  failedTitle: 'The payment did not go through',
  declines: {
    '05': 'Your bank declined it and gave no reason. Try another way to pay, or ask your bank.',
    '51': 'There is not enough money on the card or account. Try another one.',
    '54': 'The card has expired. Use another one.',
    '57': 'Your bank does not allow this payment. Use another card, or ask your bank to allow it.',
    '61': 'The amount is above a limit of your card or account. Use another one, or ask your bank to raise the limit.',
    U30: 'The UPI PIN was wrong. Try again.',
    U16: 'Your bank stopped it to protect you. Try another way to pay, or ask your bank.',
    U66: 'Your UPI app is not registered on this device. Register in the app, then try again.',
    U69: 'The request was declined in your UPI app. Try again if that was a mistake.',
  },
  threeDsFailed: 'Your bank could not confirm that it was you. Try again, or use another card.',
  nothingCharged: 'The bank could not be reached. Try again in a moment, or choose another way to pay.',
  tryAgain: 'You have not been charged, and can try again.',

  states: {
    created: { title: 'Your payment', text: 'It is waiting to be paid.' },
    pending: {
      title: 'Your payment is under way',
      text: 'It is not decided yet. This page changes by itself.',
    },
    paid: { title: 'Payment complete', text: 'Thank you. The shop knows that it is paid.' },
    failed: { title: 'The payment did not go through', text: 'You have not been charged.' },
    refunded: {
      title: 'Payment refunded',
      text: 'The money is on its way back. It can take some days until your bank shows it.',
    },
    expired: {
      title: 'Too late to pay',
      text: 'It was not paid in time, and cannot be paid any more. Please ask the shop for a new link.',
    },
    cancelled: { title: 'Payment cancelled', text: 'The shop has cancelled it. There is nothing left to pay.' },
  },
  waiting: {
    once: 'Do not pay again.',
    mayClose: 'You may close this page: the shop is told as soon as it is decided.',
  },
  waitsFor: {
    bank: 'We are waiting for your bank to confirm it. This takes a few seconds, rarely some minutes.',
    upi: 'We are waiting for your UPI app to confirm it.',
    coins: 'We are waiting for the network to confirm your payment. This can take some minutes.',
  },
  receipt: {
    merchant: 'Paid to',
    amount: 'Amount',
    date: 'Date',
    number: 'Payment number',
    way: 'Paid with',
    refunded: 'Refunded so far',
    print: 'Print this receipt',
    endingIn: (brand, digits) => `${brand} ending in ${digits}`,
  },
  noWay: 'It cannot be paid here at the moment. Please ask the shop.',
  stepLost:
    'The way to your bank was lost. Nothing is charged without it: the payment ends by itself, then you can try again.',
  checking: { title: 'One moment', text: 'The payment is being checked.' },

  bankStep: { title: 'One more step', text: 'Your bank asks you to confirm the payment.' },
  codeStep: { title: 'Enter your code', text: 'You received a code to confirm this payment.' },
  upiStep: {
    title: 'Approve it in your UPI app',
    scanTitle: 'Scan it with your UPI app',
    collect: 'Open your UPI app: a request waits there. Approve it.',
    intent: 'Open your UPI app and approve the payment, or scan the code with another phone.',
    qr: 'Open any UPI app on your phone, scan the code, and approve the payment.',
    notices: 'This page notices by itself when it is paid.',
    open: 'Open your UPI app',
    code: 'QR code for UPI apps',
  },
  cryptoStep: {
    title: 'Send the exact amount',
    open: 'Open your wallet',
    code: 'QR code with address and amount for wallets',
    onlyThis: (coin, network) => `Send only ${coin}, and only by the network ${network}. Anything else is lost.`,
    withMemo: 'Give the memo too: without it nobody knows that it is yours.',
    notices: 'This page notices by itself when your payment arrives. You may close it once you have sent it.',
    received: (amount) => `${amount} came in so far.`,
    arrived: (amount) => `${amount} came in.`,
    missing: (amount) => `${amount} is still missing. Send the rest to the same address.`,
    excess: (amount) => `That is ${amount} more than asked for. The shop can give it back: please ask there.`,
    tooLate: 'What you sent was not enough in time. The shop can give it back: please ask there.',
  },
  coin: {
    amount: 'Amount',
    network: 'Network',
    address: 'Address',
    memo: 'Memo',
    copy: 'Copy',
    copied: 'Copied',
    copyIt: (what) => `Copy: ${what}`,
  },
  until: 'Until',
  timeLeft: 'Time left',
  goOn: 'Continue',
  confirm: 'Confirm',
  backTo: (merchant) => `Back to ${merchant}`,
  leavesIn: (merchant) => `You go back to ${merchant} in {seconds}.`,
  seconds: { one: '{count} second', other: '{count} seconds' },
  stay: 'Stay on this page',
  noConnection: 'There is no connection. We keep trying.',
  sending: 'One moment…',

  statuses: {
    200: { title: 'Thank you', text: 'This step is done. You can close this page.' },
    400: {
      title: 'This did not work',
      text: 'The page that sent you here sent something that cannot be read. Please go back to the shop.',
    },
    403: {
      title: 'This did not work',
      text: 'It could not be verified where this came from. Please go back to the shop.',
    },
    404: { title: 'Nothing to pay here', text: 'There is no payment at this address. Please go back to the shop.' },
    410: { title: 'Too late', text: 'This link has expired. Please go back to the shop.' },
    413: { title: 'This did not work', text: 'That was too much to read. Please go back and try again.' },
    429: { title: 'One moment', text: 'This page was opened too often. Please wait a minute, then reload it.' },
    500: {
      title: 'This did not work',
      text: 'Something went wrong on our side. Please reload the page in a few seconds.',
    },
    503: { title: 'One moment', text: 'This cannot be taken right now. Please reload the page in a few seconds.' },
  },
};

/** The texts of the payer's page in English. Every other language translates these. */
import type { DeclineCode } from '@paywright/contract';

/** The states of a payment that the payer's page has words for. */
export type PayState = 'created' | 'pending' | 'paid' | 'failed' | 'refunded' | 'expired' | 'cancelled';

/**
 * The texts of one language. A function inserts a value into a sentence; the value is already formatted for the
 * language.
 */
export interface Words {
  /** The language's own name, for the language switch. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  /** The label of the language switch. */
  readonly language: string;

  readonly testMode: string;
  /** The question before the merchant's contact, and the label of the link to its terms. */
  readonly support: string;
  readonly terms: string;
  readonly cardIsNotKept: string;
  readonly paymentTo: (merchant: string) => string;
  /** Above the amount while it can be paid. */
  readonly payTo: (merchant: string) => string;
  readonly pay: (amount: string) => string;
  readonly order: string;
  readonly description: string;
  readonly recipient: string;
  /** Label of the time until which the payment can be made. */
  readonly payBy: string;
  /** `{time}` is replaced by a time in the payer's time zone. */
  readonly yourTime: string;

  readonly howToPay: string;
  /** The heading of the card's form if there is no other way. */
  readonly payByCard: string;
  readonly ways: {
    readonly card: string;
    readonly upi_intent: string;
    readonly upi_qr: string;
    readonly upi_collect: string;
  };
  /** The name of a page by the first two brands that it accepts. */
  readonly brandsAndMore: (first: string, second: string) => string;
  readonly eitherBrand: (first: string, second: string) => string;
  /** The label of the pictures next to the card number. */
  readonly acceptedCards: string;
  /** Tells the payer what happens after the button is pressed. */
  readonly wayHints: {
    readonly upi_intent: string;
    readonly upi_qr: string;
    readonly upi_collect: string;
    readonly ewallet_redirect: (provider: string) => string;
    readonly hosted_page: (provider: string) => string;
    /** For a page whose name payers do not know. */
    readonly elsewhere: string;
    readonly crypto: (coin: string) => string;
  };
  /** The button of a way that does not pay on this page. */
  readonly buttons: {
    readonly upi_intent: string;
    readonly upi_qr: string;
    readonly crypto: string;
    readonly ewallet_redirect: (name: string) => string;
    readonly hosted_page: (name: string) => string;
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
    readonly phoneNumber: (example: string) => string;
  };
  /** Names of the fields `postalCode` and `state` in some countries. */
  readonly regions: Readonly<
    Record<'zip' | 'pin' | 'postcode' | 'eircode' | 'cep' | 'state' | 'province' | 'prefecture' | 'emirate', string>
  >;
  readonly chooseCountry: string;
  readonly contact: string;
  readonly billingAddress: string;
  /** Above what the merchant said about the payer. */
  readonly knownAlready: (merchant: string) => string;
  /** The same once there was an attempt: the payer may have typed some of it. */
  readonly yourDetails: string;
  readonly change: string;

  /** The text for a field that is empty. */
  readonly missing: Readonly<Record<keyof Words['fields'], string>>;
  readonly errors: {
    readonly some: string;
    /** Above a form with more problems than a list helps with. */
    readonly many: string;
    readonly number: string;
    readonly expiration: string;
    readonly expired: string;
    readonly cvv: string;
    readonly upiId: string;
    readonly email: string;
    readonly phoneNumber: (example: string) => string;
    readonly code: string;
    readonly other: string;
    readonly notThisWay: string;
    readonly tooOften: string;
  };

  readonly failedTitle: string;
  /** A code without a text is shown as 05, which names no reason. */
  readonly declines: { readonly [C in DeclineCode]?: string } & { readonly '05': string };
  readonly threeDsFailed: string;
  /** If no provider could be reached, and what the payer can do. */
  readonly nothingCharged: {
    readonly reason: string;
    readonly again: string;
    /** If there are several ways to pay. */
    readonly againOr: string;
    /** In test mode, if the sandbox fails because of the amount. */
    readonly onPurpose: (ending: string) => string;
  };
  readonly tryAgain: string;

  readonly states: Readonly<Record<PayState, { readonly title: string; readonly text: string }>>;
  /** `{time}` is replaced by a time. */
  readonly expiredAt: string;
  /** The title after a refund of a part. */
  readonly partlyRefunded: (amount: string) => string;
  readonly waiting: {
    readonly once: string;
    readonly mayClose: string;
    /** For a payment that is pending for longer than usual. */
    readonly slow: string;
    readonly keepLink: string;
    readonly copyLink: string;
  };
  /** The party that must confirm the payment, by way to pay. */
  readonly waitsFor: { readonly bank: string; readonly upi: string; readonly coins: string };
  readonly receipt: {
    readonly merchant: string;
    readonly amount: string;
    /** If only a part of the requested amount was charged. */
    readonly charged: string;
    readonly requested: string;
    readonly date: string;
    readonly number: string;
    readonly way: string;
    readonly refunded: string;
    readonly refundedOn: string;
    readonly refundedTo: string;
    readonly print: string;
    /** The last digits of a card, such as `4242`. */
    readonly endingIn: (brand: string, digits: string) => string;
  };
  /** After a failure, for a browser that has not opened the link. */
  readonly openLinkAgain: string;
  readonly noWayTitle: string;
  readonly noWay: (merchant: string, currency: string) => string;
  readonly stepLost: string;
  readonly checking: { readonly title: string; readonly text: string };
  /** For a link that is mistyped or cut off. */
  readonly badLink: { readonly title: string; readonly text: string };
  /** For a payer who gave up at the provider's page. */
  readonly byPayer: { readonly title: string; readonly text: string };
  /** For a payer who comes back to a step that is not finished. */
  readonly otherWay: {
    readonly title: string;
    readonly text: string;
    readonly proceed: string;
    readonly link: string;
    /** `{time}` is replaced by a time. */
    readonly from: string;
    readonly ends: string;
    readonly notYet: string;
  };

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
  /** For a code that another app than a UPI app scans. */
  readonly qrStep: {
    readonly title: (app: string) => string;
    readonly text: (app: string) => string;
    readonly open: (app: string) => string;
    readonly code: (app: string) => string;
    /** For a code whose text is no link: it is pasted into the app. */
    readonly paste: (app: string) => string;
  };
  readonly cryptoStep: {
    readonly title: string;
    /** The title once a part was received. */
    readonly rest: (amount: string) => string;
    readonly open: string;
    readonly code: string;
    readonly onlyThis: (coin: string, network: string) => string;
    /** The payer pays the fee of the network in addition. */
    readonly fee: string;
    readonly withMemo: string;
    readonly notices: string;
    readonly received: (amount: string) => string;
    /** The amount received, when no more is expected. */
    readonly arrived: (amount: string) => string;
    readonly missing: (amount: string) => string;
    /** What to do if the rest is not sent in time: `amount` was received. */
    readonly orElse: (amount: string) => string;
    readonly excess: (amount: string) => string;
    readonly tooLate: string;
  };
  readonly coin: {
    readonly amount: string;
    readonly rate: string;
    readonly network: string;
    readonly address: string;
    readonly memo: string;
    readonly copy: string;
    readonly copied: string;
    readonly copyIt: (what: string) => string;
  };
  readonly until: string;
  readonly timeLeft: string;
  readonly proceed: string;
  readonly confirm: string;
  readonly backTo: (merchant: string) => string;
  /** `{seconds}` is replaced by a count such as `10 seconds`. */
  readonly leavesIn: (merchant: string) => string;
  readonly seconds: Plural;
  readonly stay: string;
  readonly noConnection: string;
  readonly sending: string;

  /** The link to the documentation, at an address where nothing is. */
  readonly documentation: string;
  readonly statuses: Readonly<Record<StatusWord, { readonly title: string; readonly text: string }>>;
}

/** Texts by the plural categories of CLDR that the language has. `{count}` is replaced by the number. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

export type StatusWord = 200 | 400 | 403 | 404 | 410 | 413 | 429 | 500 | 503;

export const en: Words = {
  name: 'English',
  direction: 'ltr',
  language: 'Language',

  testMode: 'Test mode: no real payment',
  support: 'Questions?',
  terms: 'Terms',
  cardIsNotKept: 'We don’t store your card details.',
  paymentTo: (merchant) => `Payment to ${merchant}`,
  payTo: (merchant) => `Pay ${merchant}`,
  pay: (amount) => `Pay ${amount}`,
  order: 'Order',
  description: 'For',
  recipient: 'Recipient',
  payBy: 'Pay by',
  yourTime: '{time} (your time)',

  howToPay: 'How would you like to pay?',
  payByCard: 'Pay by card',
  ways: {
    card: 'Card',
    upi_intent: 'UPI app on this phone',
    upi_qr: 'UPI QR code',
    upi_collect: 'UPI ID',
  },
  brandsAndMore: (first, second) => `${first}, ${second} and more`,
  eitherBrand: (first, second) => `${first} or ${second}`,
  acceptedCards: 'Accepted cards',
  wayHints: {
    upi_intent: 'Your UPI app opens, and you approve the payment there.',
    upi_qr: 'You get a QR code to scan with any UPI app.',
    upi_collect: 'You get a request in your UPI app and approve it there.',
    ewallet_redirect: (name) => `You’ll complete your payment with ${name}.`,
    hosted_page: (name) => `You’ll be redirected to ${name} to complete your payment.`,
    elsewhere: 'You’ll complete your payment on the next page.',
    crypto: (coin) => `We’ll show you an address and the exact amount of ${coin} to send.`,
  },
  buttons: {
    upi_intent: 'Open your UPI app',
    upi_qr: 'Show the QR code',
    crypto: 'Show the payment address',
    ewallet_redirect: (name) => `Continue with ${name}`,
    hosted_page: (name) => `Continue to ${name}`,
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
    phoneNumber: (example) => `Include the country code, for example ${example}`,
  },
  regions: {
    zip: 'ZIP code',
    pin: 'PIN code',
    postcode: 'Postcode',
    eircode: 'Eircode',
    cep: 'CEP',
    state: 'State',
    province: 'Province',
    prefecture: 'Prefecture',
    emirate: 'Emirate',
  },
  chooseCountry: 'Choose…',
  contact: 'Contact',
  billingAddress: 'Billing address',
  knownAlready: (merchant) => `From ${merchant}`,
  yourDetails: 'Your details',
  change: 'Change',

  missing: {
    number: 'Enter your card number.',
    expiration: 'Enter the expiry date.',
    cvv: 'Enter the security code.',
    upiId: 'Enter your UPI ID.',
    code: 'Enter the code.',
    nameOnCard: 'Enter the name on the card.',
    name: 'Enter your full name.',
    email: 'Enter your email address.',
    phoneNumber: 'Enter your phone number.',
    address: 'Enter your street and number.',
    city: 'Enter your city.',
    state: 'Enter your state or region.',
    postalCode: 'Enter your postal code.',
    country: 'Choose your country.',
  },
  errors: {
    some: 'Check these fields:',
    many: 'Check the fields marked below.',
    number: 'That card number isn’t valid. Check it and try again.',
    expiration: 'Use MM/YY, for example 08/29.',
    expired: 'This card has expired.',
    cvv: 'The security code has 3 or 4 digits.',
    upiId: 'Enter a UPI ID, for example name@bank.',
    email: 'Enter an email address, for example name@example.com.',
    phoneNumber: (example) => `Enter a phone number with its country code, for example ${example}.`,
    code: 'That code isn’t correct. Check it and try again.',
    other: 'Check this field.',
    notThisWay: 'You can’t pay this way. Choose another way to pay, or contact the shop.',
    tooOften: 'There were too many attempts. Wait an hour, or contact the shop.',
  },

  failedTitle: 'Your payment didn’t go through',
  declines: {
    '05': 'Your bank declined the payment without giving a reason. Try another way to pay, or contact your bank.',
    '51': 'Insufficient funds. Try another card or way to pay.',
    '54': 'The card has expired. Use another card.',
    '57': 'Your bank doesn’t allow this payment. Use another card, or ask your bank to allow it.',
    '61': 'The amount exceeds a limit of your card or account. Use another card, or ask your bank to raise the limit.',
    U30: 'The UPI PIN was wrong. Try again.',
    U16: 'Your bank blocked the payment to protect you. Try another way to pay, or contact your bank.',
    U66: 'Your UPI app is not registered on this device. Register in the app, then try again.',
    U69: 'The request was declined in your UPI app. Try again if that was a mistake.',
  },
  threeDsFailed: 'Your bank couldn’t verify that it was you. Try again, or use another card.',
  nothingCharged: {
    reason: 'We couldn’t reach the bank.',
    again: 'Try again in a moment.',
    againOr: 'Try again in a moment, or choose another way to pay.',
    onPurpose: (ending) => `Test mode: amounts that end in ${ending} fail on purpose.`,
  },
  tryAgain: 'You haven’t been charged. You can try again.',

  states: {
    created: { title: 'Your payment', text: 'This payment hasn’t been made yet.' },
    pending: {
      title: 'Processing your payment',
      text: 'This page updates automatically.',
    },
    paid: { title: 'Payment complete', text: 'Thank you. The shop has received your payment.' },
    failed: { title: 'Your payment didn’t go through', text: 'You haven’t been charged.' },
    refunded: {
      title: 'Payment refunded',
      text: 'Your refund is on its way. It can take a few days to appear.',
    },
    expired: {
      title: 'This payment link has expired',
      text: 'Ask the shop for a new link.',
    },
    cancelled: { title: 'Payment cancelled', text: 'The shop cancelled this payment. You don’t need to do anything.' },
  },
  expiredAt: 'It expired on {time}. Ask the shop for a new link.',
  partlyRefunded: (amount) => `Payment complete, ${amount} refunded`,
  waiting: {
    once: 'Don’t pay twice.',
    mayClose: 'You can close this page. The shop will be notified.',
    slow: 'This is taking longer than usual.',
    keepLink: 'You can close this page. The result will be at this link.',
    copyLink: 'Copy this link',
  },
  waitsFor: {
    bank: 'We’re waiting for your bank to confirm the payment. This usually takes a few seconds, rarely a few minutes.',
    upi: 'We’re waiting for your UPI app to confirm the payment.',
    coins: 'We’re waiting for the network to confirm your payment. This can take some minutes.',
  },
  receipt: {
    merchant: 'Paid to',
    amount: 'Amount',
    charged: 'Amount charged',
    requested: 'Amount requested',
    date: 'Date',
    number: 'Reference',
    way: 'Paid with',
    refunded: 'Refunded',
    refundedOn: 'Refunded on',
    refundedTo: 'Refunded to',
    print: 'Print this receipt',
    endingIn: (brand, digits) => `${brand} ending in ${digits}`,
  },
  openLinkAgain: 'To try again, open your payment link, or go back to the shop.',
  noWayTitle: 'This payment can’t be taken right now',
  noWay: (merchant, currency) => `${merchant} has no way to accept ${currency} here at the moment.`,
  stepLost:
    'The link to your bank was lost. You won’t be charged without it. The payment expires automatically; then you can try again.',
  checking: {
    title: 'One moment',
    text: 'The payment is being checked. If you opened a link from a shop, check that you copied all of it, or ask the shop for a new one.',
  },
  badLink: {
    title: 'This link isn’t valid',
    text: 'Check that you copied all of it, or ask the shop for a new one.',
  },
  byPayer: { title: 'You cancelled the payment', text: 'Choose how you’d like to pay.' },
  otherWay: {
    title: 'Your payment isn’t finished',
    text: 'You started a payment and didn’t finish it. You can continue it.',
    proceed: 'Continue this payment',
    link: 'Pay another way',
    from: 'You can pay another way from {time}.',
    ends: 'You started a payment that isn’t finished. If you pay another way, it ends.',
    notYet: 'You can’t pay another way yet, because the payment you started may still go through.',
  },

  bankStep: { title: 'One more step', text: 'Your bank asks you to confirm the payment.' },
  codeStep: { title: 'Enter your code', text: 'You received a code to confirm this payment.' },
  upiStep: {
    title: 'Approve the request in your UPI app',
    scanTitle: 'Scan with any UPI app',
    collect: 'Open your UPI app and approve the request there.',
    intent: 'Open your UPI app and approve the payment, or scan the code with another phone.',
    qr: 'Open any UPI app on your phone, scan the code, and approve the payment.',
    notices: 'This page updates when you have paid.',
    open: 'Open your UPI app',
    code: 'QR code for UPI apps',
  },
  qrStep: {
    title: (app) => `Scan with ${app}`,
    text: (app) => `Open ${app} on your phone, scan the code, and approve the payment.`,
    open: (app) => `Open ${app}`,
    code: (app) => `QR code for ${app}`,
    paste: (app) => `On this device, copy the code and paste it into ${app}.`,
  },
  cryptoStep: {
    title: 'Send the exact amount',
    rest: (amount) => `Send the rest: ${amount}`,
    open: 'Open your wallet',
    code: 'QR code with address and amount for wallets',
    onlyThis: (coin, network) => `Send only ${coin} on the ${network} network. Other coins will be lost.`,
    fee: 'Your wallet may add a network fee; the full amount must arrive.',
    withMemo: 'Include the memo. Without it we can’t assign your payment.',
    notices: 'This page updates when your payment arrives. You can close it after sending.',
    received: (amount) => `We’ve received ${amount} so far.`,
    arrived: (amount) => `We’ve received ${amount}.`,
    missing: (amount) => `${amount} left to pay. Send the rest to the same address.`,
    orElse: (amount) => `If you don’t send the rest in time, ask the shop for your ${amount} back.`,
    excess: (amount) => `That is ${amount} more than requested. Ask the shop for a refund.`,
    tooLate: 'We didn’t receive the full amount in time. Ask the shop for a refund.',
  },
  coin: {
    amount: 'Amount',
    rate: 'Exchange rate',
    network: 'Network',
    address: 'Address',
    memo: 'Memo',
    copy: 'Copy',
    copied: 'Copied',
    copyIt: (what) => `Copy: ${what}`,
  },
  until: 'Until',
  timeLeft: 'Time left',
  proceed: 'Continue',
  confirm: 'Confirm',
  backTo: (merchant) => `Back to ${merchant}`,
  leavesIn: (merchant) => `Returning to ${merchant} in {seconds}.`,
  seconds: { one: '{count} second', other: '{count} seconds' },
  stay: 'Stay on this page',
  noConnection: 'You’re offline. We’ll keep trying.',
  sending: 'One moment…',

  documentation: 'Documentation for developers',
  statuses: {
    200: { title: 'Thank you', text: 'This step is complete. You can close this page.' },
    400: {
      title: 'Something went wrong',
      text: 'We couldn’t read the request of the previous page. Go back to the shop.',
    },
    403: {
      title: 'Something went wrong',
      text: 'We couldn’t verify where this request came from. Go back to the shop.',
    },
    404: { title: 'Page not found', text: 'There is nothing at this address.' },
    410: { title: 'Too late', text: 'This link has expired. Go back to the shop.' },
    413: { title: 'Something went wrong', text: 'The request was too large. Go back and try again.' },
    429: { title: 'One moment', text: 'This page was opened too often. Wait a minute, then reload it.' },
    500: {
      title: 'Something went wrong',
      text: 'Something went wrong on our side. Reload the page in a few seconds.',
    },
    503: { title: 'One moment', text: 'We can’t process this right now. Reload the page in a few seconds.' },
  },
};

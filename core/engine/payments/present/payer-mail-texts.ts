/** The texts of mails to payers, in the language of a country. */

export interface PayerMailTexts {
  readonly direction: 'ltr' | 'rtl';
  readonly subject: (merchant: string) => string;
  /** Precedes the subject of a test mail. */
  readonly test: string;
  readonly testNote: string;
  readonly merchant: string;
  readonly amount: string;
  readonly until: string;
  readonly payHere: string;
  readonly payNow: (amount: string) => string;
  readonly close: string;
  readonly order: string;
  /** The label of what is paid for, in the merchant's words. */
  readonly description: string;
  /** The label of the payer's name. */
  readonly payer: string;
  readonly help: string;
  readonly terms: string;
  /** The subject of a receipt. */
  readonly receipt: (merchant: string) => string;
  readonly paidAt: string;
  readonly card: string;
  readonly reference: string;
  readonly viewReceipt: string;
  readonly thanks: (merchant: string) => string;
}

const en: PayerMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Payment request from ${merchant}`,
  test: 'Test',
  testNote: 'Test mode: no real payment.',
  merchant: 'Merchant',
  amount: 'Amount',
  until: 'Pay by',
  payHere: 'Pay here',
  payNow: (amount) => `Pay ${amount}`,
  close: 'Not expecting this? You can ignore this email. You won’t be charged unless you pay.',
  order: 'Order',
  description: 'For',
  payer: 'To',
  help: 'Help',
  terms: 'Terms',
  receipt: (merchant) => `Receipt from ${merchant}`,
  paidAt: 'Paid on',
  card: 'Card',
  reference: 'Reference',
  viewReceipt: 'View receipt',
  thanks: (merchant) => `Thank you. ${merchant} has received your payment.`,
};

const es: PayerMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Solicitud de pago de ${merchant}`,
  test: 'Prueba',
  testNote: 'Esto es una prueba: no se mueve dinero.',
  merchant: 'Comercio',
  amount: 'Importe',
  until: 'Pagar hasta',
  payHere: 'Paga aquí',
  payNow: (amount) => `Pagar ${amount}`,
  close: 'Si no esperas este pago, ignora este correo: no se cobra nada si no pagas.',
  order: 'Pedido',
  description: 'Concepto',
  payer: 'Para',
  help: 'Ayuda',
  terms: 'Condiciones',
  receipt: (merchant) => `Recibo de ${merchant}`,
  paidAt: 'Pagado el',
  card: 'Tarjeta',
  reference: 'Referencia',
  viewReceipt: 'Ver el recibo',
  thanks: (merchant) => `Gracias. ${merchant} ha recibido tu pago.`,
};

const pt: PayerMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Pedido de pagamento de ${merchant}`,
  test: 'Teste',
  testNote: 'Isto é um teste: nenhum dinheiro é movimentado.',
  merchant: 'Comerciante',
  amount: 'Valor',
  until: 'Pagar até',
  payHere: 'Pague aqui',
  payNow: (amount) => `Pagar ${amount}`,
  close: 'Se não espera este pagamento, ignore este e-mail: nada é cobrado se não pagar.',
  order: 'Encomenda',
  description: 'Referente a',
  payer: 'Para',
  help: 'Ajuda',
  terms: 'Condições',
  receipt: (merchant) => `Recibo de ${merchant}`,
  paidAt: 'Pago em',
  card: 'Cartão',
  reference: 'Referência',
  viewReceipt: 'Ver o recibo',
  thanks: (merchant) => `Obrigado. ${merchant} recebeu o seu pagamento.`,
};

const de: PayerMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Zahlungsanfrage von ${merchant}`,
  test: 'Test',
  testNote: 'Das ist ein Test: Es fließt kein Geld.',
  merchant: 'Händler',
  amount: 'Betrag',
  until: 'Zahlbar bis',
  payHere: 'Hier bezahlen',
  payNow: (amount) => `${amount} bezahlen`,
  close:
    'Wenn Sie keine solche Zahlung erwarten, beachten Sie diese E-Mail nicht: Es wird nichts abgebucht, solange Sie nicht bezahlen.',
  order: 'Bestellung',
  description: 'Für',
  payer: 'An',
  help: 'Hilfe',
  terms: 'Bedingungen',
  receipt: (merchant) => `Zahlungsbeleg von ${merchant}`,
  paidAt: 'Bezahlt am',
  card: 'Karte',
  reference: 'Referenz',
  viewReceipt: 'Beleg ansehen',
  thanks: (merchant) => `Vielen Dank. ${merchant} hat Ihre Zahlung erhalten.`,
};

const ar: PayerMailTexts = {
  direction: 'rtl',
  subject: (merchant) => `طلب دفع من ${merchant}`,
  test: 'اختبار',
  testNote: 'هذا اختبار: لا تُنقل أي أموال.',
  merchant: 'المتجر',
  amount: 'المبلغ',
  until: 'الدفع حتى',
  payHere: 'ادفع هنا',
  payNow: (amount) => `ادفع ${amount}`,
  close: 'إذا كنت لا تتوقع هذه الدفعة فتجاهل هذه الرسالة: لا يُخصم شيء ما لم تدفع.',
  order: 'الطلب',
  description: 'مقابل',
  payer: 'إلى',
  help: 'المساعدة',
  terms: 'الشروط',
  receipt: (merchant) => `إيصال من ${merchant}`,
  paidAt: 'تاريخ الدفع',
  card: 'البطاقة',
  reference: 'المرجع',
  viewReceipt: 'عرض الإيصال',
  thanks: (merchant) => `شكرًا لك. استلم ${merchant} دفعتك.`,
};

const languages = { en, es, pt, de, ar } as const;
type Language = keyof typeof languages;

/**
 * Countries in which nearly everyone reads the language. A country with several languages (Switzerland, India) says
 * nothing about the payer's language: these payers get English, as do payers whose country is unknown.
 */
const countries: readonly (readonly [Language, string])[] = [
  ['es', 'AR BO CL CO CR CU DO EC ES GT HN MX NI PA PE PY SV UY VE'],
  ['pt', 'AO BR CV MZ PT ST'],
  ['de', 'AT DE LI'],
  ['ar', 'AE BH DZ EG IQ JO KW LB LY MA OM PS QA SA SY TN YE'],
];

export interface PayerMailSpeech {
  readonly words: PayerMailTexts;
  readonly language: Language;
  /** A BCP 47 tag. */
  readonly locale: string;
}

/** `country`: as the merchant gave it. */
export function payerMailSpeechOf(country: string | null): PayerMailSpeech {
  const code = country?.toUpperCase() ?? '';
  const language = countries.find(([, codes]) => codes.split(' ').includes(code))?.[0] ?? 'en';
  return { words: languages[language], language, locale: language === 'en' ? 'en-GB' : `${language}-${code}` };
}

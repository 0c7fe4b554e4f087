/** The texts of the mail that brings a payment link, in the language of a country. */

export interface LinkMailTexts {
  readonly direction: 'ltr' | 'rtl';
  readonly subject: (merchant: string) => string;
  /** Precedes the subject of a test mail. */
  readonly test: string;
  readonly testNote: string;
  readonly merchant: string;
  readonly amount: string;
  readonly until: string;
  readonly payHere: string;
  readonly payNow: string;
  readonly close: string;
}

const en: LinkMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Payment request of ${merchant}`,
  test: 'Test',
  testNote: 'This is a test: no money moves.',
  merchant: 'Merchant',
  amount: 'Amount',
  until: 'Pay until',
  payHere: 'Pay here',
  payNow: 'Pay now',
  close: 'If you expect no such payment, ignore this mail: nothing is charged unless you pay.',
};

const es: LinkMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Solicitud de pago de ${merchant}`,
  test: 'Prueba',
  testNote: 'Esto es una prueba: no se mueve dinero.',
  merchant: 'Comercio',
  amount: 'Importe',
  until: 'Pagar hasta',
  payHere: 'Paga aquí',
  payNow: 'Pagar ahora',
  close: 'Si no esperas este pago, ignora este correo: no se cobra nada si no pagas.',
};

const pt: LinkMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Pedido de pagamento de ${merchant}`,
  test: 'Teste',
  testNote: 'Isto é um teste: nenhum dinheiro é movimentado.',
  merchant: 'Comerciante',
  amount: 'Valor',
  until: 'Pagar até',
  payHere: 'Pague aqui',
  payNow: 'Pagar agora',
  close: 'Se não espera este pagamento, ignore este e-mail: nada é cobrado se não pagar.',
};

const de: LinkMailTexts = {
  direction: 'ltr',
  subject: (merchant) => `Zahlungsanfrage von ${merchant}`,
  test: 'Test',
  testNote: 'Das ist ein Test: Es fließt kein Geld.',
  merchant: 'Händler',
  amount: 'Betrag',
  until: 'Zahlbar bis',
  payHere: 'Hier bezahlen',
  payNow: 'Jetzt bezahlen',
  close:
    'Wenn Sie keine solche Zahlung erwarten, beachten Sie diese E-Mail nicht: Es wird nichts abgebucht, solange Sie nicht bezahlen.',
};

const ar: LinkMailTexts = {
  direction: 'rtl',
  subject: (merchant) => `طلب دفع من ${merchant}`,
  test: 'اختبار',
  testNote: 'هذا اختبار: لا تُنقل أي أموال.',
  merchant: 'المتجر',
  amount: 'المبلغ',
  until: 'الدفع حتى',
  payHere: 'ادفع هنا',
  payNow: 'ادفع الآن',
  close: 'إذا كنت لا تتوقع هذه الدفعة فتجاهل هذه الرسالة: لا يُخصم شيء ما لم تدفع.',
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

export interface LinkMailSpeech {
  readonly words: LinkMailTexts;
  readonly language: Language;
  /** A BCP 47 tag. */
  readonly locale: string;
}

/** `country`: as the merchant gave it. */
export function linkMailSpeechOf(country: string | null): LinkMailSpeech {
  const code = country?.toUpperCase() ?? '';
  const language = countries.find(([, codes]) => codes.split(' ').includes(code))?.[0] ?? 'en';
  return { words: languages[language], language, locale: language === 'en' ? 'en-GB' : `${language}-${code}` };
}

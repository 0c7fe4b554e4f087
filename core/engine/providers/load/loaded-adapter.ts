/** What the loader reads about an adapter and its accounts, and what it returns. */
import type { ProviderAdapter } from '@paywright/contract';
import type { AccountKey } from '../account-keys.ts';

/** `draining`: no new submissions, everything else continues. `off`: nothing, and callbacks are answered 404. */
export type AdapterState = 'on' | 'draining' | 'off';

/** A name for payers: one text, or a text for each language. */
export type WayTitle = string | Readonly<Record<string, string>>;

/** What the operator pays for a payment. */
export interface Fee {
  /** Decimal text. */
  readonly percent: string;
  /** Decimal text by currency. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** One adapter in config. */
export interface AdapterEntry {
  readonly name: string;
  readonly package: string;
  readonly state: AdapterState;
  /** The options with the secrets filled in. */
  readonly options: unknown;
  /** Members that replace members of `options` for test payments. Absent: test payments use `options` unchanged. */
  readonly sandboxOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The address of the adapter's sandbox if the gateway itself runs it. */
  readonly sandboxUrl?: string | undefined;
  /** The operator's name of the adapter for payers. */
  readonly title?: WayTitle | undefined;
  /** The names of the brands that the operator's contract with the provider covers. Absent: those of the manifest. */
  readonly brands?: readonly string[] | undefined;
  /** What the operator pays for a payment. Absent: nothing is known. */
  readonly fee?: Fee | undefined;
  /** The adapter's further accounts, by name, in the order of config. */
  readonly accounts?: Readonly<Record<string, AccountEntry>> | undefined;
  /** Its accounts in the database. They come after those of config. */
  readonly stored?: StoredAccounts | undefined;
  /** Folder of the config file that lists the adapter. Its package is looked up from this folder first. */
  readonly from: string;
  /** Replaces the lookup of the package, for a candidate version. `''` is the adapter, `/sandbox` its sandbox. */
  readonly load?: ((subpath: string) => Promise<unknown>) | undefined;
}

/** One further account of an adapter, as its source (config or the database) describes it. */
export interface AccountEntry {
  readonly state: AdapterState;
  /** Members that replace members of the adapter's `options`. The secrets of the adapter's `options` do not apply. */
  readonly options: unknown;
  /** Members that replace members of the account's live options for test payments. */
  readonly sandboxOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Absent: the fee of the adapter. */
  readonly fee?: Fee | undefined;
  /** The currencies that the account accepts. Absent: those that are open at the adapter. */
  readonly currencies?: readonly string[] | undefined;
  /** The names of the merchants that may use the account. Absent: every merchant. Empty: none. */
  readonly merchants?: readonly string[] | undefined;
  /** An operator created the account at run time. Absent: config describes it. */
  readonly isStored?: true | undefined;
}

/** The accounts of one adapter that operators created at run time. */
export interface StoredAccounts {
  readonly accounts: Readonly<Record<string, AccountEntry>>;
  /** The names of removed accounts, which no other account may have. */
  readonly removed: readonly string[];
}

/** The options that core knows for every adapter. */
export interface AdapterOptions {
  readonly baseUrl: string;
  readonly sandboxBaseUrl: string;
}

interface Listed {
  /** The name of the adapter, which all of its accounts share. */
  readonly name: string;
  /** The name of the account: `main`, or one of `AdapterEntry.accounts`. */
  readonly account: string;
  /** The reference of the account: `accountRefOf` of adapter and account. */
  readonly ref: string;
  readonly package: string;
  readonly state: AdapterState;
  /** The names of the merchants that may use the account. Undefined: every merchant. */
  readonly merchants?: readonly string[] | undefined;
  /** The database has the account, so that operators change it with `paywright accounts`. Absent: config has it. */
  readonly isStored?: true | undefined;
}

/**
 * One account of an adapter: the identity under which the provider knows us. All accounts of an adapter share the same
 * `adapter` object; only the options and the terms differ.
 */
export interface ActiveAdapter extends Listed {
  readonly adapter: ProviderAdapter<AdapterOptions>;
  readonly options: AdapterOptions;
  /** The options of test payments. */
  readonly sandboxOptions: AdapterOptions;
  /** Options of test payments that hold an address of the sandbox that runs here, in addition to `sandboxBaseUrl`. */
  readonly sandboxAddresses: Readonly<Record<string, string>>;
  /** No secret is used on both sides, so the secret of a signature shows which side it comes from. */
  readonly hasSandboxProofs: boolean;
  /**
   * False in production if a secret is used on both sides: a person with the sandbox's secret could pay live payments.
   */
  readonly takesTestPayments: boolean;
  /** The operator's name of the adapter for payers. Undefined: that of the manifest. */
  readonly title?: WayTitle | undefined;
  /** The names of the brands to show. Undefined: all of the manifest. */
  readonly brands?: readonly string[] | undefined;
  /** The currencies that the account accepts. Undefined: those that are open at the adapter. */
  readonly currencies?: readonly string[] | undefined;
  /** What the operator pays for a payment. Undefined: nothing is known. */
  readonly fee?: Fee | undefined;
  /** The identity of the account at the provider, in each mode. Undefined: the adapter defines none. */
  readonly keys: { readonly live?: AccountKey; readonly test?: AccountKey };
}

/** What people know a provider by. */
export type KnownAs = Pick<ProviderAdapter<AdapterOptions>['manifest'], 'code' | 'title'>;

/** An adapter or account that is off: its options are not read, so its secrets need not exist. */
export interface AbsentAdapter extends Listed {
  readonly adapter: null;
  /**
   * Imports the package, once, to read what people know the provider by. Undefined if that fails. Only for the answer
   * to a merchant who names a code that no other adapter has, and for the pages of operators.
   */
  readonly readManifest: () => Promise<KnownAs | undefined>;
}

export type LoadedAdapter = ActiveAdapter | AbsentAdapter;

/** Reports a problem: its path in the settings of the adapter or in the export of its package, and what is wrong. */
export type Report = (path: readonly string[], message: string) => void;

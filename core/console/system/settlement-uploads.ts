/**
 * Settlement files that were uploaded in the console, until they are compared. A comparison takes a while, so it runs
 * in the background and its page shows the progress.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Actor } from '../../engine/audit/index.ts';
import type { Environment } from '../../base/environment.ts';
import { HOUR } from '../../base/async/time.ts';
import { GatewayError, invalidField, notFound } from '../../base/errors.ts';
import type { ReceivedFile } from '../../http/input/receive-upload.ts';
import {
  fileOf,
  guessMapping,
  inspectFile,
  parseMapping,
  previewRows,
  SettlementProblem,
  type GuessedMapping,
  type InspectedFile,
  type Mapping,
  type PreviewedRows,
  type Settlement,
  type SettlementFile,
  type SettlementReads,
} from '../../settlement/index.ts';

/** The mapping of an upload, and where it comes from. */
export type UploadMapping =
  | { readonly from: 'file' | 'last run' | 'example' | 'form'; readonly mapping: Mapping }
  | { readonly from: 'guess'; readonly guess: GuessedMapping };

export interface NewUpload {
  readonly adapter: string;
  /** The name of the account of the file. Absent: the file is about all accounts of the adapter. */
  readonly account?: string | undefined;
  readonly environment: Environment;
  /** The text of a mapping file. Empty: the mapping of the last run is used, or guessed. */
  readonly mappingText: string;
}

export interface SettlementUpload extends Omit<NewUpload, 'mappingText'> {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly inspected: InspectedFile;
  readonly chosen: UploadMapping;
  readonly state: 'waiting' | 'comparing' | 'done' | 'failed';
  /** Rows that were compared, and the share of the file, from 0 to 1. */
  readonly rows: number;
  readonly share: number;
  /** Why the comparison failed. */
  readonly problems: readonly string[];
  /** The id of the result of the latest comparison. The first one has the id of the upload. */
  readonly result: string;
}

export interface ComparedSpan {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** The uploads of this host's listener. They are kept for an hour, because they may name payers. */
export interface SettlementUploads {
  /**
   * Keeps the file and closes its handle later. Throws VAL002 if it cannot be read as a table, or the mapping is wrong.
   */
  add(file: ReceivedFile, upload: NewUpload): Promise<string>;
  /** Throws NF001 for an unknown upload. */
  get(id: string): SettlementUpload;
  /** The upload whose latest comparison has this id. Undefined: its file is not kept any more. */
  ofResult(result: string): SettlementUpload | undefined;
  /** The first rows, read with a mapping. */
  preview(id: string, mapping: Mapping): Promise<PreviewedRows>;
  /** Uses another mapping from now on. Throws RATE001 while the file is compared. */
  choose(id: string, mapping: Mapping): void;
  /** Starts a comparison. Throws RATE001 while another one runs. */
  compare(by: Actor, id: string, mapping: Mapping, span: ComparedSpan): void;
  /** Throws RATE001 while the file is compared. */
  discard(id: string): Promise<void>;
}

export interface SettlementUploadsDeps {
  readonly settlement: Settlement;
  readonly lastMapping: SettlementReads['lastMapping'];
  /** The mapping that the gateway comes with. Undefined: there is none for this adapter. */
  readonly exampleOf: (adapter: string) => Promise<Mapping | undefined>;
  readonly log: Pick<Logger, 'error'>;
  /** Default: an hour. */
  readonly keptMs?: number;
}

interface Kept {
  readonly upload: SettlementUpload;
  readonly received: ReceivedFile;
  readonly file: SettlementFile;
}

const keptUploads = 5;

export function createSettlementUploads(deps: SettlementUploadsDeps): SettlementUploads {
  const { settlement, lastMapping, exampleOf, log, keptMs = HOUR } = deps;
  const uploads = new Map<string, Kept>();

  function keptOf(id: string): Kept {
    const kept = uploads.get(id);
    if (!kept)
      throw notFound('this upload (only the host that received it keeps it, for an hour: upload the file again)');
    return kept;
  }

  function change(id: string, members: Partial<SettlementUpload>): void {
    const kept = uploads.get(id);
    if (kept) uploads.set(id, { ...kept, upload: { ...kept.upload, ...members } });
  }

  async function forget(id: string): Promise<void> {
    const kept = uploads.get(id);
    uploads.delete(id);
    await kept?.received.handle.close();
  }

  /** The comparison reads the file until it ends, whatever another tab asks for. */
  function demandIdle(id: string): void {
    if (uploads.get(id)?.upload.state === 'comparing')
      throw new GatewayError('RATE_LIMIT_EXCEEDED', 'this file is being compared: wait until it has finished');
  }

  /** Makes room for another upload. The file of a comparison that runs is kept. */
  async function makeRoom(): Promise<void> {
    const idle = [...uploads.values()].filter(({ upload }) => upload.state !== 'comparing');
    for (const { upload } of idle.slice(0, Math.max(0, idle.length - keptUploads + 1))) await forget(upload.id);
  }

  function forgetLater(id: string): void {
    const end = (): void => {
      if (uploads.get(id)?.upload.state === 'comparing') return forgetLater(id);
      forget(id).catch((error: unknown) => log.error({ err: error }, 'a settlement file could not be closed'));
    };
    setTimeout(end, keptMs).unref();
  }

  async function chooseMapping(adapter: string, text: string, inspected: InspectedFile): Promise<UploadMapping> {
    if (text !== '') return { from: 'file', mapping: readMappingText(text) };
    const last = await lastMapping(adapter);
    if (last && fits(last, inspected)) return { from: 'last run', mapping: last };
    const example = await exampleOf(adapter);
    if (example && fits(example, inspected)) return { from: 'example', mapping: example };
    return { from: 'guess', guess: guessMapping(inspected) };
  }

  return {
    async add(received, { adapter, account, environment, mappingText }) {
      try {
        await makeRoom();
        const file = fileOf(received.handle, received.name, received.bytes);
        const inspected = await inspectFile(file);
        const chosen = await chooseMapping(adapter, mappingText, inspected);
        const id = randomUUID();
        const { name, bytes } = received;
        const start = { state: 'waiting', rows: 0, share: 0, problems: [], result: id } as const;
        const upload = { id, adapter, account, environment, name, bytes, inspected, chosen, ...start };
        uploads.set(id, { upload, received, file });
        forgetLater(id);
        return id;
      } catch (error) {
        await received.handle.close();
        throw error instanceof SettlementProblem
          ? invalidField('file', received.name, error.problems.join('; '))
          : error;
      }
    },

    get: (id) => keptOf(id).upload,
    ofResult: (result) => [...uploads.values()].find(({ upload }) => upload.result === result)?.upload,
    preview: async (id, mapping) => previewRows(keptOf(id).file, mapping, 5),

    choose(id, mapping) {
      keptOf(id);
      demandIdle(id);
      change(id, { chosen: { from: 'form', mapping }, state: 'waiting', problems: [] });
    },

    compare(by, id, mapping, { from, to }) {
      const { upload, file } = keptOf(id);
      if ([...uploads.values()].some((one) => one.upload.state === 'comparing'))
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'another file is being compared: wait until it has finished');
      const { adapter, account, environment } = upload;
      const result = upload.state === 'done' ? randomUUID() : upload.result;
      change(id, { state: 'comparing', rows: 0, share: 0, problems: [], result });
      const onProgress = (rows: number, share: number): void => change(id, { rows, share });
      const settling = { id: result, file, mapping, adapter, account, environment, from, to, onProgress };
      const run = async (): Promise<void> => {
        try {
          const { rows } = await settlement.compare(by, settling);
          change(id, { state: 'done', rows, share: 1 });
        } catch (error) {
          const isProblem = error instanceof SettlementProblem;
          if (!isProblem) log.error({ err: error }, 'a settlement file could not be compared');
          const problems = isProblem ? error.problems : ['The comparison failed: see the log.'];
          change(id, { state: 'failed', problems });
        }
      };
      void run();
    },

    async discard(id) {
      demandIdle(id);
      await forget(id);
    },
  };
}

/** Throws VAL002 `mapping`. */
function readMappingText(text: string): Mapping {
  try {
    return parseMapping(text, 'mapping');
  } catch (error) {
    throw error instanceof SettlementProblem ? invalidField('mapping', null, error.problems.join('; ')) : error;
  }
}

/** Whether the file has every column of the mapping. */
function fits({ columns, skipLines }: Mapping, inspected: InspectedFile): boolean {
  const names = new Set(inspected.columns.map(({ name }) => name));
  const wanted = Object.values(columns).flatMap((value) =>
    typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : (value ?? []),
  );
  // With lines before the header, the inspected columns are not the header.
  return skipLines > 0 || wanted.every((name) => names.has(name));
}

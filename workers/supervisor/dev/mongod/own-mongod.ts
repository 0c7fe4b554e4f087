import type { ChildProcess } from 'node:child_process';
import { MongoInstance } from 'mongodb-memory-server-core';
import * as v from 'valibot';

export interface MongodExit {
  code: number | null;
  signal: string | null;
}

/** A line of mongod's log about an error: the error is a text or, in lines of WiredTiger, a number with a message. */
const ErrorLine = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    msg: v.string(),
    attr: v.object({
      error: v.union([v.string(), v.number(), v.object({ errmsg: v.string() })]),
      message: v.optional(v.looseObject({ msg: v.string() })),
    }),
  }),
  v.transform(({ msg, attr: { error, message } }) => {
    const words = typeof error === 'object' ? error.errmsg : (message?.msg ?? `${error}`);
    return `${msg}: ${words}`.replaceAll(/\s+/g, ' ').slice(0, 300);
  }),
);

const patienceMs = 3_000;
const keptLines = 200;

/**
 * A mongod in its own session, so that Ctrl-C in the terminal does not reach it. The watchdog of mongodb-memory-server
 * stops it within 2 s if this process dies.
 */
export class OwnMongod extends MongoInstance {
  /** The last lines that it printed. */
  readonly lines: string[] = [];
  /** Resolves when the process has exited, for any reason. */
  readonly exited: Promise<MongodExit>;
  child: ChildProcess | undefined;
  #settleExit: (exit: MongodExit) => void = () => {};
  #halfLine = '';
  #ending = false;

  constructor(settings: {
    binary: string;
    dbPath: string;
    port: number;
    replicaSet: string;
    /** With a key file, mongod requires a password. */
    keyFile: string | undefined;
    cacheGb: number;
    launchTimeoutMs: number;
  }) {
    const { binary, dbPath, port, replicaSet, keyFile, cacheGb, launchTimeoutMs } = settings;
    const args = [
      '--wiredTigerCacheSizeGB',
      `${cacheGb}`,
      // Writes that must be in the journal start a commit immediately. The interval only wakes an idle mongod.
      '--journalCommitInterval',
      '500',
      // The service never reads its diagnostic data. Collecting them is a third of its CPU time when it is idle.
      '--setParameter',
      'diagnosticDataCollectionEnabled=false',
      // Another user's socket file in the temporary folder would keep mongod from starting.
      ...(process.platform === 'win32' ? [] : ['--nounixsocket']),
    ];
    super({
      instance: {
        args,
        dbPath,
        port,
        ip: '127.0.0.1',
        replSet: replicaSet,
        ...(keyFile !== undefined && { auth: true, keyfileLocation: keyFile }),
        storageEngine: 'wiredTiger',
        launchTimeout: launchTimeoutMs,
      },
      binary: { systemBinary: binary },
      spawn: { detached: true },
    });
    this.exited = new Promise((resolve) => (this.#settleExit = resolve));
  }

  /** The last error in its log. */
  lastError(): string {
    for (const line of this.lines.toReversed()) {
      const read = v.safeParse(ErrorLine, line);
      if (read.success) return read.output;
    }
    return 'it gave no reason';
  }

  /** Ends it: cleanly (1 s), by force after 3 s, and also when it is still starting. Does nothing when it has ended. */
  async end(): Promise<void> {
    this.#ending = true;
    if (this.child === undefined) return;
    this.child.kill('SIGTERM');
    const force = setTimeout(() => this.child?.kill('SIGKILL'), patienceMs);
    await this.exited;
    clearTimeout(force);
    await this.stop(); // the watchdog
  }

  override _launchMongod(binary: string): ChildProcess {
    // oxlint-disable-next-line no-underscore-dangle -- the library's name for the step that spawns
    this.child = super._launchMongod(binary);
    if (this.#ending) this.child.kill('SIGTERM');
    return this.child;
  }

  /** The library searches each chunk for certain words. Whole lines make sure that no word is split. */
  override stdoutHandler(chunk: string | Buffer): void {
    const lines = (this.#halfLine + chunk.toString()).split('\n');
    this.#halfLine = lines.pop() ?? '';
    this.lines.push(...lines);
    this.lines.splice(0, this.lines.length - keptLines);
    for (const line of lines) super.stdoutHandler(line);
  }

  /**
   * Replaces the library's check, which prints stacks and would stop a mongod by connecting to another one on the same
   * port. The exit of the process says enough.
   */
  protected override checkErrorInLine(): void {}

  override closeHandler(code: number | null, signal: string | null): void {
    super.closeHandler(code, signal);
    this.#settleExit({ code, signal });
  }
}

/** A settlement file, on disk under its name or uploaded and without a name on disk. */
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { SettlementProblem } from './problem.ts';

export interface SettlementFile {
  /** Without folders. */
  readonly name: string;
  readonly bytes: number;
  /** Reads the whole file. May be called several times, one after the other. */
  read(): Readable;
  /** The first bytes of the file. */
  head(bytes: number): Promise<Buffer>;
}

/** Rejects with a SettlementProblem if the file cannot be read. */
export async function fileAt(path: string): Promise<SettlementFile> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new SettlementProblem([`${path}: cannot be read (${error.code ?? 'no file'})`]);
  });
  try {
    const { size } = await handle.stat();
    return {
      name: basename(path),
      bytes: size,
      read: () => createReadStream(path),
      async head(bytes) {
        const opened = await open(path);
        try {
          return await readHead(opened, bytes);
        } finally {
          await opened.close();
        }
      },
    };
  } finally {
    await handle.close();
  }
}

/** The handle stays open, and is closed by its owner. */
export function fileOf(handle: FileHandle, name: string, bytes: number): SettlementFile {
  return {
    name,
    bytes,
    // A stream of the handle would close it when a reader stops early.
    read: () => Readable.from(chunksOf(handle)),
    head: async (wanted) => readHead(handle, wanted),
  };
}

const chunkBytes = 65_536;

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readHead(handle: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

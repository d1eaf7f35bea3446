/**
 * The engine's memory as it was when it had started, kept in the origin's private files: a later start goes on from there.
 * It fits one build in one browser; whatever else is found there is as good as nothing.
 */

/** Sum of the files that a snapshot comes from, put in by the build. */
declare const RUNTIME_SUM: string;

type Bytes = Uint8Array<ArrayBuffer>;

const NAME = "bpeek engine";
/** What it is for, and the sizes of its parts: JSON, filled up with spaces. */
const HEAD_BYTES = 1024;
const PARTS = ["memory", "stdlib", "wheel"] as const;
/** So long after it was taken it is written: the first tokens come first. */
const WRITE_AFTER_MS = 3000;

/** The memory, and the two files from which modules may yet be imported. */
export type Snapshot = Record<(typeof PARTS)[number], Bytes>;

/** What only workers have, of which the types of a page know nothing. */
interface Readable extends FileSystemFileHandle {
  createSyncAccessHandle(how: { mode: "read-only" }): Promise<{ read(into: Bytes, from: { at: number }): number; close(): void }>;
}

// Another browser may do without some of the functions to which the memory points.
const key = (): string => `${RUNTIME_SUM} ${navigator.userAgent}`;

const folder = (): Promise<FileSystemDirectoryHandle> => navigator.storage.getDirectory();

/** The one that fits, if there is one. */
export async function readSnapshot(): Promise<Snapshot | undefined> {
  try {
    const file = (await (await folder()).getFileHandle(NAME)) as Readable;
    const access = await file.createSyncAccessHandle({ mode: "read-only" }); // some read faster than by `getFile`
    try {
      const head = new Uint8Array(HEAD_BYTES);
      access.read(head, { at: 0 });
      const { key: kept, sizes } = JSON.parse(new TextDecoder().decode(head)) as { key: string; sizes: number[] };
      if (kept !== key()) return undefined;
      const data = new Uint8Array(sizes.reduce((sum, size) => sum + size));
      if (access.read(data, { at: HEAD_BYTES }) !== data.length) return undefined;
      let at = 0;
      return Object.fromEntries(PARTS.map((name, i) => [name, data.subarray(at, (at += sizes[i]!))])) as Snapshot;
    } finally {
      access.close();
    }
  } catch {
    return undefined; // there is none, or this browser keeps nothing
  }
}

/** Takes it now, and writes it when there is less to do. */
export async function keepSnapshot(take: () => Uint8Array, stdlib: Bytes, wheel: Bytes): Promise<void> {
  try {
    const memory = withoutZeros(take() as Bytes);
    await (await folder()).getFileHandle(NAME, { create: true });
    await new Promise((resolve) => setTimeout(resolve, WRITE_AFTER_MS));
    const parts = [memory, stdlib, wheel];
    const head = JSON.stringify({ key: key(), sizes: parts.map(({ length }) => length) }).padEnd(HEAD_BYTES);
    const file = await (await folder()).getFileHandle(NAME); // unless it was cleared meanwhile
    const writing = await file.createWritable(); // takes the place of what was only when it is whole
    await writing.write(new Blob([head, ...parts]));
    await writing.close();
  } catch {
    // There is no room, or this browser keeps nothing.
  }
}

/** New memory is zero. */
function withoutZeros(memory: Bytes): Bytes {
  let end = memory.length;
  while (memory[end - 1] === 0) end--;
  return memory.subarray(0, end);
}

/** Removes what engines with the option `snapshot` have kept on this device. */
export async function forgetSnapshot(): Promise<void> {
  try {
    await (await folder()).removeEntry(NAME);
  } catch {
    // There is none.
  }
}

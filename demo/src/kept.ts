/** Files that were opened, in a database of this browser. Where there is none, as in some private windows, nothing is kept and nobody is told. */

import { deleteDB, openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { LoadOptions } from "bpeek";

export interface KeptFile {
  sha256: string;
  name: string;
  format: string;
  bytes: number;
  opened: Date;
  files: File[];
  /** What had to be asked for: how text is split, and special tokens. */
  hints: Pick<LoadOptions, "pattern" | "specialTokens">;
}

interface Schema extends DBSchema {
  files: { key: string; value: KeptFile };
}

const DATABASE = "bpeek";
const WISH = "bpeek.keep";
/** Of all files together; the oldest go first. */
export const MOST_BYTES = 200e6;

export class KeptFiles {
  #database: Promise<IDBPDatabase<Schema>> | undefined;

  /** Whether this browser keeps anything at all. */
  works(): Promise<boolean> {
    return this.#open().then(() => true, () => false);
  }

  /** What the user wishes. */
  get on(): boolean {
    try {
      return localStorage.getItem(WISH) !== "no";
    } catch {
      return true;
    }
  }

  set on(on: boolean) {
    try {
      if (on) localStorage.removeItem(WISH);
      else localStorage.setItem(WISH, "no");
    } catch {
      // Then it is so until the page is closed.
    }
  }

  /** The latest first. */
  async all(): Promise<KeptFile[]> {
    return latestFirst(await (await this.#open()).getAll("files"));
  }

  async keep(file: KeptFile): Promise<void> {
    if (file.bytes > MOST_BYTES) return;
    const work = (await this.#open()).transaction("files", "readwrite");
    await work.store.put(file);
    for (const { sha256 } of tooMany(await work.store.getAll())) await work.store.delete(sha256);
    await work.done;
  }

  async remove({ sha256 }: KeptFile): Promise<void> {
    await (await this.#open()).delete("files", sha256);
  }

  async clear(): Promise<void> {
    await (await this.#open()).clear("files");
  }

  /** Leaves nothing behind, not even the wish. */
  async forget(): Promise<void> {
    this.on = true;
    (await this.#database)?.close();
    this.#database = undefined;
    await deleteDB(DATABASE);
  }

  async #open(): Promise<IDBPDatabase<Schema>> {
    const close = () => {
      void this.#database?.then((database) => database.close());
      this.#database = undefined;
    };
    this.#database ??= openDB<Schema>(DATABASE, 1, {
      upgrade: (database) => void database.createObjectStore("files", { keyPath: "sha256" }),
      blocking: close, // another tab forgets all
      terminated: close,
    });
    return this.#database;
  }
}

const latestFirst = (files: KeptFile[]): KeptFile[] => files.sort((one, other) => other.opened.getTime() - one.opened.getTime());

/** The oldest of those that find no room. */
export function tooMany(files: KeptFile[]): KeptFile[] {
  let room = MOST_BYTES;
  return latestFirst(files).filter(({ bytes }) => (room -= bytes) < 0);
}

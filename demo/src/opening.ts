/** Opens tokenizers: those that come with the page, files that somebody chose or dropped, and files that were kept. */

import { FormatError, type Engine, type Tokenizer } from "bpeek";
import { sentence } from "./format.js";
import type { KeptFile } from "./kept.js";
import { setStatus } from "./page.js";
import { PatternForm } from "./pattern-form.js";
import { Recent } from "./recent.js";
import type { Shelf } from "./shelf.js";
import { wasStopped, type Stopper } from "./stopper.js";
import { mayBeText, readText } from "./text-file.js";

export const BUILT_IN = ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"] as const;

export interface OpeningPage {
  engine: Engine;
  shelf: Shelf;
  stopper: Stopper;
  /** A tokenizer that was just read has become the current one. */
  onOpened(): Promise<void>;
  /** One that is open already was asked for. */
  onPick(tokenizer: Tokenizer): void;
  /** A file is a text, and no tokenizer. */
  onText(file: File): Promise<void>;
}

interface Ways {
  /** What to do with a file that is no tokenizer. */
  otherwise?: (file: File, error: FormatError) => Promise<void>;
  /** Tells what is wrong with hints that somebody wrote. */
  refuse?: (error: unknown) => void;
  /** What to do with several files that do not belong together. */
  apart?: (error: unknown) => Promise<void>;
}

type Opened = Pick<KeptFile, "files" | "hints"> & Ways;

export class Opening {
  /** By their checksums, those that come with the page and were loaded. */
  readonly builtIn = new Map<string, string>();
  #page: OpeningPage;
  #patternForm = new PatternForm();
  #recent = new Recent((kept) => this.#again(kept));
  /** What is being read, so that a second click does not read it twice. */
  #reading = new Set<string>();

  constructor(page: OpeningPage) {
    this.#page = page;
  }

  isReading(name: string): boolean {
    return this.#reading.has(name);
  }

  async named(name: string): Promise<void> {
    if (!this.isReading(name)) await this.#load(name, () => this.#fetch(name));
  }

  /** A built-in one that does not become the one that is shown; `undefined` if it could not be read. */
  async beside(name: string): Promise<Tokenizer | undefined> {
    setStatus("loading", `Reading ${name}`);
    try {
      const tokenizer = await this.#fetch(name);
      this.#page.shelf.add(tokenizer, false);
      return tokenizer;
    } catch (error) {
      setStatus("error", sentence(error));
      return undefined;
    }
  }

  /** `otherwise`: what to do with a single file that is no tokenizer. */
  async files(files: File[], otherwise: Ways["otherwise"] = (file, error) => this.#textOr(file, error)): Promise<void> {
    this.#patternForm.close();
    if (files.length === 1) return void (await this.#file(files, {}, { otherwise }));
    await this.#file(files, {}, { apart: (error) => this.#oneByOne(files, error) });
  }

  /** Files that are no vocabulary together, such as a pair: what they are, their content decides. */
  async #oneByOne(files: File[], error: unknown): Promise<void> {
    let opened = 0;
    for (const file of files) if (await this.#file([file])) opened++;
    if (opened === 0) tellOf(nameOf(files), error);
  }

  /** The file of that checksum, if it was kept. */
  async kept(sha256: string): Promise<void> {
    const kept = await this.#recent.find(sha256);
    if (kept) await this.#file(kept.files, kept.hints);
  }

  forget(): Promise<void> {
    return this.#recent.forget();
  }

  async #fetch(name: string): Promise<Tokenizer> {
    this.#reading.add(name);
    try {
      const tokenizer = await this.#page.engine.load(new URL(`vocab/${name}.ranks`, document.baseURI));
      this.builtIn.set(tokenizer.info.sha256, name);
      return tokenizer;
    } finally {
      this.#reading.delete(name);
    }
  }

  /** The one that is open already, or else from what was kept. */
  #again({ sha256, files, hints }: KeptFile): void {
    const open = this.#page.shelf.tokenizers.find(({ info }) => info.sha256 === sha256);
    if (open) return this.#page.onPick(open);
    this.#patternForm.close();
    void this.#file(files, hints);
  }

  /** One file, or some that belong together. */
  #file(files: File[], hints: KeptFile["hints"] = {}, ways: Ways = {}): Promise<boolean> {
    return this.#load(nameOf(files), () => this.#page.engine.load(files, hints), { files, hints, ...ways });
  }

  /** Tells whether it was read. */
  async #load(name: string, read: () => Promise<Tokenizer>, from?: Opened): Promise<boolean> {
    const { stopper, onOpened } = this.#page;
    setStatus("loading", `Reading ${name}`);
    stopper.begin(name);
    try {
      this.#take(await read(), from);
      await onOpened();
      return true;
    } catch (error) {
      await this.#fail(name, error, from);
      return false;
    } finally {
      stopper.end(name);
    }
  }

  #take(tokenizer: Tokenizer, from: Opened | undefined): void {
    const { shelf } = this.#page;
    const twin = shelf.twin(tokenizer);
    if (twin) tokenizer.dispose();
    if (twin) shelf.choose(twin);
    else shelf.add(tokenizer);
    if (from) void this.#recent.add(tokenizer, from.files, from.hints);
    if (from?.refuse) {
      this.#patternForm.close();
      shelf.focus(); // the button goes away
    }
    this.#patternForm.offer(shelf.tokenizers);
  }

  async #fail(name: string, error: unknown, from: Opened | undefined): Promise<void> {
    if (wasStopped(error)) return setStatus("ready", `${name} was not read to its end`);
    if (from?.refuse) {
      setStatus("waiting", `${name} is not read yet`);
      return from.refuse(error);
    }
    if (from && error instanceof FormatError && error.field === "pattern") {
      setStatus("waiting", `${name} needs a split pattern`);
      const refuse = (error: unknown) => this.#patternForm.refuse(error);
      return this.#patternForm.ask(name, this.#page.shelf.tokenizers, (hints) => void this.#file(from.files, hints, { refuse }));
    }
    if (from?.otherwise && error instanceof FormatError) return from.otherwise(from.files[0]!, error);
    if (from?.apart && error instanceof FormatError) return from.apart(error);
    tellOf(name, error);
  }

  /** What was taken for a tokenizer, and is plain text, unless its name or its first line says that it should be one. */
  async #textOr(file: File, error: FormatError): Promise<void> {
    const isText = mayBeText(file.name) && (await readText(file).then((text) => !/^(#version:|"bpe_simple_vocab)/.test(text), () => false));
    if (isText) await this.#page.onText(file);
    else tellOf(file.name, error);
  }
}

const nameOf = (files: File[]) => files.map(({ name }) => name).join(" + ");

function tellOf(name: string, error: unknown): void {
  const message = sentence(error);
  setStatus("error", message.includes(name) ? message : `${name}: ${message}`);
}

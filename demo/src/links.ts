/** Follows links: brings the tokenizers that one names, and says which are not here. */

import type { Tokenizer } from "bpeek";
import { byId } from "./page.js";
import { fromFragment, type Shared, type VocabularyRef } from "./share.js";
import { displayName } from "./shelf.js";

export interface LinkedPage {
  /** By their checksums, the names of loaded ones that come with the page. */
  builtIn: ReadonlyMap<string, string>;
  builtInNames: readonly string[];
  loaded(): readonly Tokenizer[];
  current(): Tokenizer | undefined;
  /** All but the tokenizers. */
  show(link: Shared): void;
  /** A loaded tokenizer, or one that comes with the page. */
  open(which: Tokenizer | string): Promise<void>;
  compare(which: Tokenizer | string): Promise<void>;
  /** Loads a file of that checksum, if it was kept. */
  openKept(sha256: string): Promise<void>;
}

export class Links {
  #page: LinkedPage;
  #missing: { sha256: string; name: string }[] = [];

  constructor(page: LinkedPage) {
    this.#page = page;
  }

  /** What a link calls a tokenizer. */
  ref({ info }: Tokenizer): VocabularyRef {
    const name = this.#page.builtIn.get(info.sha256);
    return name ? { builtIn: name } : { sha256: info.sha256, name: displayName(info) };
  }

  /** Shows what a link says, with `otherwise` in place of a tokenizer that is not here. */
  async follow(fragment: string, otherwise?: string): Promise<void> {
    const page = this.#page;
    const { isDamaged, ...link } = await fromFragment(fragment);
    page.show(link);
    this.#missing = [];
    const wanted = link.vocabulary && (await this.#find(link.vocabulary));
    const others: (Tokenizer | string | undefined)[] = [];
    for (const ref of link.others ?? []) others.push(await this.#find(ref));
    const shown = wanted ?? otherwise ?? page.current();
    if (shown) await page.open(shown);
    for (const other of others) if (other && other !== page.current()) await page.compare(other);
    const all = [link.vocabulary, ...(link.others ?? [])];
    this.tell(isDamaged || all.some((ref) => ref && "builtIn" in ref && !page.builtInNames.includes(ref.builtIn)));
  }

  /** Says which files a link was made with, as long as they are not here. */
  tell(isDamaged = false): void {
    this.#missing = this.#missing.filter(({ sha256 }) => !this.#loaded({ sha256, name: "" }));
    const files = this.#missing.map(({ name, sha256 }) => `“${name}” (SHA-256 ${sha256.slice(0, 8)}…)`).join(" and ");
    const sentences = [
      isDamaged ? "The link is damaged: what could be read of it is shown." : "",
      files ? `The link was made with ${files}, which is not here. Drop that file anywhere on the page.` : "",
    ];
    const note = byId("link-note");
    note.textContent = sentences.join(" ").trim();
    note.hidden = note.textContent === "";
  }

  async #find(ref: VocabularyRef): Promise<Tokenizer | string | undefined> {
    if ("builtIn" in ref) {
      return this.#loaded(ref) ?? this.#page.builtInNames.find((name) => name === ref.builtIn);
    }
    if (!this.#loaded(ref)) await this.#page.openKept(ref.sha256);
    const found = this.#loaded(ref);
    if (!found) this.#missing.push(ref);
    return found;
  }

  #loaded(ref: VocabularyRef): Tokenizer | undefined {
    const { builtIn, loaded } = this.#page;
    return loaded().find(({ info }) => ("builtIn" in ref ? builtIn.get(info.sha256) === ref.builtIn : info.sha256 === ref.sha256));
  }
}

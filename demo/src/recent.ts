/** The list of recent files: kept on this device, opened again with a click, and gone when one says so. */

import type { Tokenizer } from "bpeek";
import { button, element, isolated } from "./elements.js";
import { date, size, whole } from "./format.js";
import { KeptFiles, type KeptFile } from "./kept.js";
import { byId } from "./page.js";

export class Recent {
  #kept = new KeptFiles();
  #list = byId("recent-list");
  #toggle = byId<HTMLButtonElement>("recent-toggle");
  #onOpen: (file: KeptFile) => void;

  constructor(onOpen: (file: KeptFile) => void) {
    this.#onOpen = onOpen;
    const panel = byId("recent");
    this.#toggle.addEventListener("click", () => {
      panel.hidden = !panel.hidden;
      this.#toggle.ariaExpanded = String(!panel.hidden);
      void this.#draw();
    });
    const wish = byId<HTMLInputElement>("recent-keep");
    wish.checked = this.#kept.on;
    wish.addEventListener("change", () => (this.#kept.on = wish.checked));
    byId("recent-clear").addEventListener("click", () => void this.#change(this.#kept.clear()));
    void this.#kept.works().then((works) => {
      this.#toggle.hidden = !works;
      void this.#draw();
    });
  }

  async find(sha256: string): Promise<KeptFile | undefined> {
    return (await this.#kept.all().catch(() => [])).find((file) => file.sha256 === sha256);
  }

  /** After a file was opened. */
  async add({ info }: Tokenizer, files: File[], hints: KeptFile["hints"]): Promise<void> {
    if (!byId<HTMLInputElement>("recent-keep").checked) return;
    const { sha256, format, bytes } = info;
    const name = files.map(({ name }) => name).join(" + ");
    // Behind the header of a GGUF are gigabytes of weights.
    const kept = format === "GGUF" ? files.map((file) => new File([file.slice(0, bytes)], file.name)) : files;
    await this.#change(this.#kept.keep({ sha256, name, format, bytes, opened: new Date(), files: kept, hints }));
  }

  async forget(): Promise<void> {
    byId<HTMLInputElement>("recent-keep").checked = true;
    await this.#kept.forget().catch(() => {});
    this.#show([]); // to read them would make a new database
  }

  /** What cannot be kept, or is gone already, is not worth a word: the file itself is open. */
  async #change(change: Promise<void>): Promise<void> {
    await change.catch(() => {});
    await this.#draw();
  }

  async #draw(): Promise<void> {
    this.#show(await this.#kept.all().catch(() => []));
  }

  #show(files: KeptFile[]): void {
    this.#list.replaceChildren(...files.map((file) => this.#item(file)));
    byId("recent-count").textContent = files.length > 0 ? `${whole(files.length)} on this device` : "none yet";
    byId<HTMLButtonElement>("recent-clear").disabled = files.length === 0;
  }

  #item(file: KeptFile): HTMLElement {
    const { name, format, bytes, sha256, opened } = file;
    const facts = [format, size(bytes), sha256.slice(0, 8), date(opened)].join(" · ");
    const open = button("pick", () => this.#onOpen(file), isolated("name", name), isolated("meta", facts));
    open.title = `SHA-256 ${sha256}`;
    const remove = button("remove", () => {
      void this.#change(this.#kept.remove(file)).then(() => this.#toggle.focus());
    }, "×");
    remove.ariaLabel = `Forget ${name}`;
    return element("li", "", open, remove);
  }
}

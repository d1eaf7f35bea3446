/** The dialog that exports: to the clipboard, or to a file. Neither leaves this device. */

import { dialog } from "./dialog.js";
import { button, element } from "./elements.js";
import * as formats from "./export.js";
import { sentence } from "./format.js";
import { byId, confirmOn } from "./page.js";

interface Format {
  name: string;
  about: string;
  file: string;
  type: string;
  make(exported: formats.Exported): string;
}

const FORMATS: Format[] = [
  { name: "Ids", about: "A list of numbers, as Python and JavaScript read it.", file: "ids.txt", type: "text/plain", make: formats.ids },
  { name: "JSON", about: "The text, and of every token its id, text and place in three units.", file: "tokens.json", type: "application/json", make: formats.json },
  { name: "CSV", about: "The same as a table. Text stands in JSON’s quotes, so that no spreadsheet computes it.", file: "tokens.csv", type: "text/csv", make: formats.csv },
  { name: "HTML", about: "As it looks here, to be pasted into a document or a mail.", file: "tokens.html", type: "text/html", make: formats.html },
  { name: "SVG", about: "A picture of it.", file: "tokens.svg", type: "image/svg+xml", make: (exported) => formats.svg(exported, measured()) },
];

export class Exporter {
  #dialog = dialog("export");
  #told = byId("export-told");
  #exported!: formats.Exported;

  constructor() {
    byId("export-formats").append(...FORMATS.map((format) => this.#row(format)));
  }

  open(exported: formats.Exported): void {
    this.#exported = exported;
    const most = formats.MOST_DRAWN;
    this.#told.textContent = exported.encoding.length > most ? `HTML and SVG show the first ${most.toLocaleString("en")} tokens.` : "";
    this.#dialog.showModal();
  }

  #row(format: Format): HTMLElement {
    const copy = button("", () => void this.#do(copy, "Copied", () => this.#copy(format)), "Copy");
    const save = button("", () => void this.#do(save, "Saved", () => download(format.file, format.type, format.make(this.#exported))), "Save");
    for (const each of [copy, save]) each.ariaLabel = `${each.textContent} ${format.name}`;
    return element("li", "", element("h3", "", format.name), element("p", "", format.about), element("div", "buttons", copy, save));
  }

  async #do(button: HTMLElement, done: string, act: () => void | Promise<void>): Promise<void> {
    try {
      await act();
      confirmOn(button, done);
    } catch (error) {
      this.#told.textContent = sentence(error);
    }
  }

  async #copy({ type, make }: Format): Promise<void> {
    const text = make(this.#exported);
    if (type !== "text/html") return navigator.clipboard.writeText(text);
    copyHtml(text, this.#exported.encoding.text);
  }
}

/** `navigator.clipboard.write` would have Chromium parse the HTML under this page's policy, which complains of every style. */
function copyHtml(html: string, plain: string): void {
  const fill = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData!.setData("text/html", html);
    event.clipboardData!.setData("text/plain", plain);
  };
  addEventListener("copy", fill, { once: true, capture: true });
  const isDone = document.execCommand("copy");
  removeEventListener("copy", fill, { capture: true });
  if (!isDone) throw new Error("This browser does not let a page copy HTML; save it instead.");
}

function download(name: string, type: string, text: string): void {
  const link = element("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** How wide the page's own browser draws a text. */
function measured(): (text: string) => number {
  const context = element("canvas", "").getContext("2d")!;
  context.font = '14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
  return (text) => context.measureText(text).width;
}


/** Wires the page together. */

import "./trusted.js";
import "bpeek/define";
import type { TokenEvent } from "bpeek/token-view";
import { Encoding, Engine, FormatError, SpecialTokenError, UnsupportedError } from "bpeek";
import type { Change, Document, Progress, SpecialPolicy, Tokenizer } from "bpeek";
import { Card } from "./card.js";
import { sentence, size, whole } from "./format.js";
import { Ids } from "./ids.js";
import { Inspector } from "./inspect.js";
import { Live } from "./live.js";
import type { KeptFile } from "./kept.js";
import { forgetOffline, keepOffline } from "./offline.js";
import { byId, confirmOn, onFiles, setStatus } from "./page.js";
import { PatternForm } from "./pattern-form.js";
import { Recent } from "./recent.js";
import { SAMPLES } from "./samples.js";
import { displayName, Shelf } from "./shelf.js";

const BUILT_IN = ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"] as const;
const SPEAK_AFTER_MS = 1000;
const DIM_AFTER_MS = 150;

const started = performance.now();
const engine = new Engine({ onProgress: showProgress });

const text = byId<HTMLTextAreaElement>("text");
const policy = byId<HTMLSelectElement>("policy");
const sample = byId<HTMLSelectElement>("sample");
const view = document.querySelector("token-view")!;
const notice = byId("notice");
const card = new Card(byId("card-body"));
const patternForm = new PatternForm();
const inspector = new Inspector();
const inspect = byId<HTMLButtonElement>("inspect");
const ids = new Ids(byId("ids"), (index) => {
  view.active = index;
  if (view.selected === null) showToken(index);
});
const recent = new Recent(openAgain);
const shelf = new Shelf(byId("shelf"), BUILT_IN, { onPick: pick, onRemove: remove, onBuiltIn: loadBuiltIn });
const live = new Live({
  text: () => text.value,
  encode: (value, signal) => shelf.current!.encode(value, { policy: policy.value as SpecialPolicy, signal }),
  open: openDocument,
  onStale: markStale,
  onWhole: (encoding) => show(encoding, shelf.current),
  onChange: showChange,
  onSettled: markSettled,
  onError: showProblem,
});
/** Whose tokens are shown: not always the current one, while its answer is awaited. */
let shownBy: Tokenizer | undefined;

function start(): void {
  sample.append(...Object.keys(SAMPLES).map((name) => new Option(name)));
  text.value = SAMPLES[sample.value]!;
  view.encoding = new Encoding(text.value, new Uint32Array()); // the text alone, until there are tokens
  listen();
  void loadBuiltIn(BUILT_IN[0]);
}

function listen(): void {
  text.addEventListener("input", refresh);
  policy.addEventListener("change", restart);
  sample.addEventListener("change", () => {
    text.value = SAMPLES[sample.value]!;
    refresh();
  });
  byId<HTMLInputElement>("whitespace").addEventListener("change", ({ target }) => {
    view.whitespace = (target as HTMLInputElement).checked;
  });
  view.addEventListener("token-hover", ({ detail }: TokenEvent) => {
    ids.light(detail.index ?? view.selected);
    if (view.selected === null) showToken(detail.index);
  });
  view.addEventListener("token-select", ({ detail }: TokenEvent) => pin(detail.index));
  byId("card-close").addEventListener("click", () => pin(null));
  inspect.addEventListener("click", () => void inspector.open(shelf.current!));
  byId("copy-ids").addEventListener("click", ({ currentTarget }) => {
    void ids.copy().then(() => confirmOn(currentTarget as HTMLElement, "Copied"));
  });
  byId("forget").addEventListener("click", ({ currentTarget }) => {
    void Promise.all([recent.forget(), forgetOffline()]).then(() => confirmOn(currentTarget as HTMLElement, "Cleared"));
  });
  onFiles((files) => void loadFiles(files));
}

function refresh(): void {
  if (shelf.current) live.soon();
}

/** With the same text, from the beginning. */
function restart(): void {
  if (!shelf.current) return;
  markStale();
  void live.now();
}

/** Where an edit could be refused, or changes what is cut off or filled up at the end, whole texts are encoded. */
async function openDocument(encoding: Encoding): Promise<Document | undefined> {
  if (policy.value === "error") return undefined;
  try {
    const document = await shelf.current!.open(encoding.text, { policy: policy.value as "special" | "text" });
    if (document.encoding.length === encoding.length) return document;
    document.close();
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error;
  }
  return undefined;
}

// Loading

function loadBuiltIn(name: string): Promise<void> {
  return load(name, () => engine.load(new URL(`vocab/${name}.ranks`, document.baseURI)));
}

async function loadFiles(files: File[]): Promise<void> {
  if (isPair(files)) return loadFile(files);
  for (const file of files) await loadFile([file]);
}

/** The one that is open already, or else from what was kept. */
function openAgain({ sha256, files, hints }: KeptFile): void {
  const open = shelf.tokenizers.find(({ info }) => info.sha256 === sha256);
  if (open) pick(open);
  else void loadFile(files, hints);
}

/** A table of ids and a list of merges, the older form of a `tokenizer.json`: `vocab.json` and `merges.txt`. */
function isPair(files: File[]): boolean {
  const [first, second] = files.map(({ name }) => name.split(".").at(-1)!).sort();
  return files.length === 2 && (first === "json" || second === "json") && [first, second].some((end) => end === "txt" || end === "bpe");
}

/** One file, or two that belong together. */
function loadFile(files: File[], hints: KeptFile["hints"] = {}): Promise<void> {
  const name = files.map(({ name }) => name).join(" + ");
  return load(name, () => engine.load(files, hints), { files, hints });
}

async function load(name: string, read: () => Promise<Tokenizer>, from?: Pick<KeptFile, "files" | "hints">): Promise<void> {
  setStatus("loading", `Reading ${name}`);
  try {
    const tokenizer = await read();
    shelf.add(tokenizer);
    if (from) void recent.add(tokenizer, from.files, from.hints);
    patternForm.close();
    markStale();
    await live.now();
  } catch (error) {
    const message = sentence(error);
    setStatus("error", message.includes(name) ? message : `${name}: ${message}`);
    if (from && error instanceof FormatError && error.field === "pattern") {
      patternForm.ask(shelf.tokenizers, (hints) => void loadFile(from.files, hints));
    }
  }
}

function showProgress({ phase, loaded, total }: Progress): void {
  const bytes = total > 0 ? `${size(loaded)} of ${size(total)}` : size(loaded);
  if (phase === "runtime") setStatus("loading", `Starting Python: ${bytes}`);
  if (phase === "engine") setStatus("loading", "Starting the engine");
  if (phase === "vocabulary") setStatus("loading", `Fetching the vocabulary: ${bytes}`);
}

function pick(tokenizer: Tokenizer): void {
  shelf.current = tokenizer;
  shelf.draw();
  restart();
}

function remove(tokenizer: Tokenizer): void {
  tokenizer.dispose();
  shelf.remove(tokenizer);
  if (shelf.current) return restart();
  live.stop();
  markSettled();
  show(new Encoding(text.value, new Uint32Array()));
}

// Showing

function show(encoding: Encoding, tokenizer?: Tokenizer): void {
  shownBy = tokenizer;
  view.encoding = encoding;
  ids.show(encoding);
  showCounts(encoding);
  pin(null);
  showReady();
  if (performance.getEntriesByName("first tokens").length > 0) return;
  performance.measure("first tokens", { start: started });
  void keepOffline();
}

/** Only what the edit changed is drawn again; the view goes where one types. */
function showChange(encoding: Encoding, change: Change): void {
  view.update(encoding, change);
  ids.update(encoding, change);
  showCounts(encoding);
  // With the frame's own layout, and not one more.
  if (document.activeElement === text) requestAnimationFrame(() => view.reveal(lastOf(change, encoding)));
  pin(view.selected, false);
  showReady();
}

let dimming: ReturnType<typeof setTimeout> | undefined;

/** What is shown is not yet the text's. It is dimmed only if that lasts: to draw a frame costs more than most answers. */
function markStale(): void {
  view.ariaBusy = "true";
  dimming ??= setTimeout(() => view.classList.add("stale"), DIM_AFTER_MS);
}

function markSettled(): void {
  clearTimeout(dimming);
  dimming = undefined;
  view.classList.remove("stale");
  view.ariaBusy = "false";
}

const lastOf = ({ index, added }: Change, { length }: Encoding): number => Math.max(0, Math.min(index + added, length) - 1);

function showReady(): void {
  notice.hidden = true;
  inspect.disabled = !shownBy;
  setStatus("ready", shownBy ? `Ready: ${displayName(shownBy.info)}` : "Choose a tokenizer");
}

let speaking: ReturnType<typeof setTimeout>;

function showCounts(encoding: Encoding): void {
  const { length, bytes } = encoding;
  const count = byId("count");
  count.textContent = whole(length);
  count.dataset.value = String(length);
  byId("characters").textContent = whole(encoding.codePoints);
  byId("bytes").textContent = whole(bytes);
  byId("ratio").textContent = length > 0 ? (bytes / length).toFixed(2) : "–";
  clearTimeout(speaking);
  speaking = setTimeout(() => (byId("spoken-count").textContent = `${whole(length)} tokens`), SPEAK_AFTER_MS);
}

/** The text could not be encoded: what is shown stays, dimmed, with the reason. */
function showProblem(error: unknown): void {
  notice.hidden = false;
  notice.textContent =
    error instanceof SpecialTokenError
      ? `The text holds the special token ${error.token} at character ${whole(error.pos)}, and special tokens are refused.`
      : sentence(error);
  setStatus("ready", "Not tokenized");
}

function pin(index: number | null, focus = true): void {
  view.selected = index;
  if (index !== null && focus) view.focusToken(index); // on a phone, the sheet must not hide it
  ids.light(index);
  byId("card").classList.toggle("pinned", index !== null);
  byId("card-close").hidden = index === null;
  showToken(index);
}

/** A token that was chosen stays, whatever the pointer passes on the way to its card. */
function showToken(index: number | null): void {
  const shown = view.selected ?? index;
  const { encoding } = view;
  if (shown === null || !encoding || !shownBy) return card.clear();
  const done = shown === view.selected
    ? card.explain(shownBy, encoding, shown, policy.value as SpecialPolicy)
    : card.show(shownBy, encoding, shown);
  done.catch((error: unknown) => setStatus("error", sentence(error)));
}

start();

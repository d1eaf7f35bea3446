/** Wires the page together. */

import "./trusted.js";
import "bpeek/define";
import type { TokenEvent } from "bpeek/token-view";
import { Encoding, Engine, FormatError, SpecialTokenError, UnsupportedError } from "bpeek";
import type { Change, Document, Progress, SpecialPolicy, Tokenizer } from "bpeek";
import { Card } from "./card.js";
import { Compare, MOST_COLUMNS } from "./compare.js";
import { dialog } from "./dialog.js";
import { Editor } from "./editor.js";
import { Exporter } from "./export-dialog.js";
import { sentence, size, whole } from "./format.js";
import { givenFiles } from "./given.js";
import { Ids } from "./ids.js";
import { Inspector } from "./inspect.js";
import { Limit } from "./limit.js";
import { Links } from "./links.js";
import { Live } from "./live.js";
import type { KeptFile } from "./kept.js";
import { forgetOffline, keepOffline } from "./offline.js";
import { byId, confirmOn, onChosen, onDropped, setStatus } from "./page.js";
import { PatternForm } from "./pattern-form.js";
import { Recent } from "./recent.js";
import { SAMPLES } from "./samples.js";
import { Sharer } from "./share-dialog.js";
import type { Shared } from "./share.js";
import { forgetSettings, remember, remembered } from "./settings.js";
import { displayName, line, Shelf } from "./shelf.js";
import { Stopper, wasStopped } from "./stopper.js";
import { mayBeText, readText } from "./text-file.js";
import { TokenTable } from "./token-table.js";

const BUILT_IN = ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"] as const;
const NO_TOKENIZER = "Choose a tokenizer above, or drop a vocabulary file anywhere.";
const NOT_TOKENIZED = "Not tokenized";
const SPEAK_AFTER_MS = 1000;
const DIM_AFTER_MS = 150;
/** So long it is told that the engine was started again. */
const TOLD_MS = 8000;

const started = performance.now();
const engine = new Engine({ onProgress: showProgress });

const text = new Editor(refresh);
const policy = byId<HTMLSelectElement>("policy");
const sample = byId<HTMLSelectElement>("sample");
const view = document.querySelector("token-view")!;
const notice = byId("notice");
const colors = byId<HTMLSelectElement>("colors");
const whitespace = byId<HTMLInputElement>("whitespace");
const card = new Card(byId("card-body"), (characters) => engine.characterNames(characters));
const patternForm = new PatternForm();
const inspector = new Inspector(interrupt);
const stopper = new Stopper(byId("cancel"), interrupt);
const inspect = byId<HTMLButtonElement>("inspect");
const asTable = byId<HTMLInputElement>("as-table");
const ids = new Ids(byId("ids"), hover, (index) => pin(index));
const table = new TokenTable({ onHover: hover, onChoose: (index) => pin(index, false) });
const recent = new Recent(openAgain);
const exporter = new Exporter();
const sharer = new Sharer();
const help = dialog("help");
const limit = new Limit(showLimit, (token) => view.focusToken(token));
const compare = new Compare({
  text: () => text.value,
  encode: (tokenizer, value, signal) => tokenizer.encode(value, { policy: policyNow(), signal }),
  open: openDocument,
  onChange: () => shelf.draw(),
  onError: (error) => setStatus("error", sentence(error)),
});
const shelf = new Shelf(byId("shelf"), BUILT_IN, {
  onPick: pick,
  onRemove: remove,
  onBuiltIn: loadBuiltIn,
  onCompare: (which) => void toggleCompared(which, true),
  isCompared: (tokenizer) => compare.has(tokenizer),
});
/** By their checksums, those that come with the page and were loaded. */
const builtIn = new Map<string, string>();
const links = new Links({
  builtIn,
  builtInNames: BUILT_IN,
  loaded: () => shelf.tokenizers,
  current: () => shelf.current,
  show: showLinked,
  open,
  compare: async (which) => {
    if (typeof which === "string" || !compare.has(which)) await toggleCompared(which);
  },
  openKept: async (sha256) => {
    const kept = await recent.find(sha256);
    if (kept) await loadFile(kept.files, kept.hints);
  },
});
const live = new Live({
  text: () => text.value,
  encode: (value, signal) => shelf.current!.encode(value, { policy: policyNow(), signal }),
  open: (encoding) => openDocument(shelf.current!, encoding),
  onStale: markStale,
  onWhole: (encoding) => show(encoding, shelf.current),
  onChange: showChange,
  onSettled: markSettled,
  onError: showProblem,
  onProgress: (done, total) => setStatus("loading", `Reading the text: ${Math.floor((100 * done) / total)} %`),
});
/** Whose tokens are shown: not always the current one, while its answer is awaited. */
let shownBy: Tokenizer | undefined;

function start(): void {
  const own = new Option("none", "");
  own.hidden = true;
  sample.append(...Object.keys(SAMPLES).map((name) => new Option(name)), own);
  text.write(SAMPLES[sample.value]!);
  view.encoding = new Encoding(text.value, new Uint32Array()); // the text alone, until there are tokens
  colors.value = remembered("colors") ?? "position";
  asTable.checked = remembered("table") !== null;
  showTable();
  showLook();
  listen();
  void begin();
}

async function begin(): Promise<void> {
  try {
    const files = await givenFiles(location.hash, document.baseURI);
    if (files.length > 0) return await loadFiles(files);
  } catch (error) {
    return setStatus("error", sentence(error));
  }
  await links.follow(location.hash, BUILT_IN[0]);
}

function listen(): void {
  policy.addEventListener("change", restart);
  sample.addEventListener("change", () => text.write(SAMPLES[sample.value]!));
  whitespace.addEventListener("change", showLook);
  colors.addEventListener("change", () => {
    remember("colors", colors.value);
    showLook();
  });
  view.addEventListener("token-hover", ({ detail }: TokenEvent) => {
    light(detail.index ?? view.selected);
    if (view.selected === null) showToken(detail.index);
  });
  view.addEventListener("token-select", ({ detail }: TokenEvent) => pin(detail.index));
  asTable.addEventListener("change", () => {
    remember("table", asTable.checked ? "shown" : "");
    showTable();
  });
  byId("card-close").addEventListener("click", () => pin(null));
  inspect.addEventListener("click", () => void inspector.open(shelf.current!));
  byId("share-open").addEventListener("click", () => sharer.open(shared()));
  byId("export-open").addEventListener("click", () => {
    exporter.open({ encoding: view.encoding!, info: shownBy!.info, policy: policyNow(), byId: view.colors === "id" });
  });
  byId("help-open").addEventListener("click", () => help.showModal());
  addEventListener("hashchange", () => void links.follow(location.hash));
  addEventListener("keydown", onKey);
  for (const way of ["special", "text"]) {
    byId(`notice-${way}`).addEventListener("click", () => {
      policy.value = way;
      restart();
      policy.focus(); // the button goes away
    });
  }
  byId("copy-ids").addEventListener("click", ({ currentTarget }) => {
    void ids.copy().then(() => confirmOn(currentTarget as HTMLElement, "Copied"));
  });
  byId("forget").addEventListener("click", ({ currentTarget }) => {
    forgetSettings();
    void Promise.all([recent.forget(), forgetOffline()]).then(() => confirmOn(currentTarget as HTMLElement, "Cleared"));
  });
  onChosen(byId("file"), (files) => void loadFiles(files));
  onChosen(byId("text-file"), ([file]) => file && void showText(file));
  byId("dismiss").addEventListener("click", () => {
    if (notice.hidden) showReady();
    else setStatus("waiting", NOT_TOKENIZED);
    byId("help-open").focus(); // the button goes away
  });
  onDropped(document.querySelector<HTMLElement>(".editor")!, (files, onEditor) => {
    void loadFiles(files, onEditor ? (file) => showText(file) : showIfText);
  });
}

function onKey(event: KeyboardEvent): void {
  if (event.key === "/" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!help.open) help.showModal();
  }
  if (event.key !== "Escape" || view.selected === null || document.querySelector("dialog[open]")) return;
  const { selected } = view;
  pin(null);
  view.focusToken(selected);
}

const policyNow = (): SpecialPolicy => policy.value as SpecialPolicy;

function showLook(): void {
  view.whitespace = compare.whitespace = whitespace.checked;
  if (view.colors !== colors.value) view.colors = colors.value as "position" | "id";
}

function showTable(): void {
  table.isShown = asTable.checked;
  byId("ids").hidden = asTable.checked;
  table.light(view.selected, true);
}

function showLimit(): void {
  view.limit = limit.value;
}

function refresh(): void {
  byId("text-note").hidden = true;
  if (sample.value !== "" && text.value !== SAMPLES[sample.value]) sample.value = "";
  if (!shelf.current) return;
  live.soon();
  compare.soon();
}

/** With the same text, from the beginning. */
function restart(): void {
  if (!shelf.current) return;
  markStale();
  void live.now();
  compare.restart();
}

/** Where an edit could be refused, or changes what is cut off or filled up at the end, whole texts are encoded. */
async function openDocument(tokenizer: Tokenizer, encoding: Encoding): Promise<Document | undefined> {
  const way = policyNow();
  if (way === "error") return undefined;
  try {
    const document = await tokenizer.open(encoding.text, { policy: way });
    if (document.encoding.length === encoding.length) return document;
    document.close();
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error;
  }
  return undefined;
}

// Loading

/** What is being read, so that a second click does not read it twice. */
const reading = new Set<string>();

async function readBuiltIn(name: string): Promise<Tokenizer> {
  reading.add(name);
  try {
    return await fetchBuiltIn(name);
  } finally {
    reading.delete(name);
  }
}

async function fetchBuiltIn(name: string): Promise<Tokenizer> {
  const tokenizer = await engine.load(new URL(`vocab/${name}.ranks`, document.baseURI));
  builtIn.set(tokenizer.info.sha256, name);
  return tokenizer;
}

function loadBuiltIn(name: string): Promise<void> {
  return reading.has(name) ? Promise.resolve() : load(name, () => readBuiltIn(name));
}

/** `otherwise`: what to do with a single file that is no tokenizer. */
async function loadFiles(files: File[], otherwise: Opened["otherwise"] = showIfText): Promise<void> {
  patternForm.close();
  if (files.length === 1) return loadFile(files, {}, { otherwise });
  if (isPair(files)) return loadFile(files);
  for (const file of files) await loadFile([file]);
}

/** The one that is open already, or else from what was kept. */
function openAgain({ sha256, files, hints }: KeptFile): void {
  const open = shelf.tokenizers.find(({ info }) => info.sha256 === sha256);
  if (open) return pick(open);
  patternForm.close();
  void loadFile(files, hints);
}

/** A table of ids and a list of merges, the older form of a `tokenizer.json`: `vocab.json` and `merges.txt`. */
function isPair(files: File[]): boolean {
  const [first, second] = files.map(({ name }) => name.split(".").at(-1)!).sort();
  return files.length === 2 && (first === "json" || second === "json") && [first, second].some((end) => end === "txt" || end === "bpe");
}

/** One file, or two that belong together. */
function loadFile(files: File[], hints: KeptFile["hints"] = {}, ways: Pick<Opened, "otherwise" | "refuse"> = {}): Promise<void> {
  const name = files.map(({ name }) => name).join(" + ");
  return load(name, () => engine.load(files, hints), { files, hints, ...ways });
}

interface Opened extends Pick<KeptFile, "files" | "hints"> {
  /** What to do with a file that is no tokenizer. */
  otherwise?: (file: File, error: FormatError) => Promise<void>;
  /** Tells what is wrong with hints that somebody wrote. */
  refuse?: (error: unknown) => void;
}

async function load(name: string, read: () => Promise<Tokenizer>, from?: Opened): Promise<void> {
  setStatus("loading", `Reading ${name}`);
  stopper.begin(name);
  try {
    const tokenizer = await read();
    const twin = shelf.twin(tokenizer);
    if (twin) tokenizer.dispose();
    if (twin) shelf.choose(twin);
    else shelf.add(tokenizer);
    links.tell();
    if (from) void recent.add(tokenizer, from.files, from.hints);
    if (from?.refuse) {
      patternForm.close();
      shelf.focus(); // the button goes away
    }
    patternForm.offer(shelf.tokenizers);
    markStale();
    await live.now();
  } catch (error) {
    if (wasStopped(error)) return setStatus("ready", `${name} was not read to its end`);
    if (from?.refuse) {
      setStatus("waiting", `${name} is not read yet`);
      return from.refuse(error);
    }
    if (from && error instanceof FormatError && error.field === "pattern") {
      setStatus("waiting", `${name} needs a split pattern`);
      const refuse = (error: unknown) => patternForm.refuse(error);
      return patternForm.ask(name, shelf.tokenizers, (hints) => void loadFile(from.files, hints, { refuse }));
    }
    if (from?.otherwise && error instanceof FormatError) return await from.otherwise(from.files[0]!, error);
    tellOf(name, error);
  } finally {
    stopper.end(name);
  }
}

function tellOf(name: string, error: unknown): void {
  const message = sentence(error);
  setStatus("error", message.includes(name) ? message : `${name}: ${message}`);
}

/** What was taken for a tokenizer, and is plain text, unless its name says that it should be one. */
async function showIfText(file: File, error: FormatError): Promise<void> {
  const isText = mayBeText(file.name) && (await readText(file).then(() => true, () => false));
  if (isText) await showText(file);
  else tellOf(file.name, error);
}

/** A file becomes the text. */
async function showText(file: File): Promise<void> {
  try {
    const read = await readText(file);
    text.write(read.text);
    const note = byId("text-note");
    note.replaceChildren(line("", file.name), `, ${size(file.size)}.${read.note}`);
    note.hidden = false;
    if (!shelf.current) showReady();
  } catch (error) {
    setStatus("error", sentence(error));
  }
}

/** Whether the next start of a worker is expected: the first is, and one after an interruption. */
let isExpected = true;
/** When a worker was last started in the place of one that died. */
let revived = -Infinity;

function interrupt(): void {
  isExpected = true;
  engine.interrupt();
}

function showProgress({ phase, loaded, total }: Progress): void {
  const bytes = total > 0 ? `${size(loaded)} of ${size(total)}` : size(loaded);
  if (phase === "runtime") setStatus("loading", `Starting Python: ${bytes}`);
  if (phase === "engine") setStatus("loading", "Starting the engine");
  if (phase === "ready" && !isExpected) revived = performance.now();
  if (phase === "ready") isExpected = false;
  if (phase === "vocabulary") setStatus("loading", `Fetching the vocabulary: ${bytes}`);
}

function pick(tokenizer: Tokenizer): void {
  shelf.choose(tokenizer);
  restart();
}

function remove(tokenizer: Tokenizer): void {
  compare.remove(tokenizer);
  tokenizer.dispose();
  shelf.remove(tokenizer);
  if (shelf.current) return restart();
  live.stop();
  markSettled();
  show(new Encoding(text.value, new Uint32Array()));
}

// Comparing

async function toggleCompared(which: Tokenizer | string, reveal = false): Promise<void> {
  if (typeof which !== "string" && compare.has(which)) return compare.remove(which);
  if (typeof which === "string" && reading.has(which)) return;
  if (compare.isFull) return setStatus("ready", `${MOST_COLUMNS} tokenizers are compared at most: let go of one first`);
  const tokenizer = typeof which === "string" ? await loadBeside(which) : which;
  if (tokenizer) compare.add(tokenizer, reveal);
}

/** A built-in one that does not become the one that is shown. */
async function loadBeside(name: string): Promise<Tokenizer | undefined> {
  setStatus("loading", `Reading ${name}`);
  try {
    const tokenizer = await readBuiltIn(name);
    shelf.add(tokenizer, false);
    showReady();
    return tokenizer;
  } catch (error) {
    setStatus("error", sentence(error));
    return undefined;
  }
}

// Links

function shared(): Shared {
  return {
    ...(shelf.current && { vocabulary: links.ref(shelf.current) }),
    others: compare.tokenizers.map((tokenizer) => links.ref(tokenizer)),
    policy: policyNow(),
    colors: view.colors,
    whitespace: view.whitespace,
    limit: limit.value,
    text: text.value,
  };
}

function showLinked(link: Shared): void {
  if (link.policy) policy.value = link.policy;
  if (link.colors) colors.value = link.colors;
  if (link.whitespace) whitespace.checked = true;
  if (link.limit) limit.value = link.limit;
  showLook();
  showLimit();
  if (link.text === undefined) return;
  text.write(link.text);
  if (!shelf.current) view.encoding = new Encoding(text.value, new Uint32Array());
}

async function open(which: Tokenizer | string): Promise<void> {
  if (typeof which === "string") await loadBuiltIn(which);
  else pick(which);
}

// Showing

function show(encoding: Encoding, tokenizer?: Tokenizer): void {
  shownBy = tokenizer;
  view.encoding = encoding;
  ids.show(encoding);
  table.show(encoding);
  showCounts(encoding);
  compare.show(tokenizer, encoding);
  pin(null);
  if (encoding.text === text.value) showReady(); // or else there is more to come
  if (performance.getEntriesByName("first tokens").length > 0) return;
  performance.measure("first tokens", { start: started });
  void keepOffline();
}

/** Only what the edit changed is drawn again; the view goes where one types. */
function showChange(encoding: Encoding, change: Change): void {
  view.update(encoding, change);
  ids.update(encoding, change);
  table.show(encoding);
  showCounts(encoding);
  compare.show(shownBy, encoding);
  pin(view.selected, false);
  if (encoding.text !== text.value) return; // there is more to come
  showReady();
  // With the frame's own layout, and not one more.
  if (text.hasFocus) requestAnimationFrame(() => view.reveal(lastOf(change, encoding)));
}

let dimming: ReturnType<typeof setTimeout> | undefined;

/** What is shown is not yet the text's. It is dimmed only if that lasts: to draw a frame costs more than most answers. */
function markStale(): void {
  stopper.begin("text");
  view.ariaBusy = "true";
  dimming ??= setTimeout(() => view.classList.add("stale"), DIM_AFTER_MS);
}

function markSettled(): void {
  stopper.end("text");
  clearTimeout(dimming);
  dimming = undefined;
  view.classList.remove("stale");
  view.ariaBusy = "false";
}

const lastOf = ({ index, added }: Change, { length }: Encoding): number => Math.max(0, Math.min(index + added, length) - 1);

function showReady(): void {
  notice.hidden = byId("notice-ways").hidden = true;
  document.body.classList.remove("unread");
  for (const id of ["inspect", "export-open", "share-open"]) byId<HTMLButtonElement>(id).disabled = !shownBy;
  const news = performance.now() - revived < TOLD_MS ? ". The engine had stopped; it was started again, with the same tokenizers and text" : "";
  setStatus("ready", shownBy ? `Ready: ${displayName(shownBy.info)}${news}` : "Choose a tokenizer");
}

let speaking: ReturnType<typeof setTimeout>;

function showCounts(encoding: Encoding): void {
  const { length, bytes } = encoding;
  byId("tokens-hint").textContent = shownBy ? (length === 0 ? "Write, paste or drop a text: its tokens appear here." : "") : NO_TOKENIZER;
  const count = byId("count");
  count.textContent = whole(length);
  count.dataset.value = String(length);
  byId("characters").textContent = whole(encoding.codePoints);
  byId("bytes").textContent = whole(bytes);
  byId("ratio").textContent = length > 0 ? (bytes / length).toFixed(2) : "–";
  limit.show(encoding);
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    byId("spoken-count").textContent = [`${whole(length)} tokens`, limit.inWords].filter((part) => part !== "").join(", ");
  }, SPEAK_AFTER_MS);
}

/** The text could not be encoded: what is shown stays, dimmed, with the reason. */
function showProblem(error: unknown): void {
  stopper.end("text");
  notice.hidden = false;
  notice.textContent =
    error instanceof SpecialTokenError
      ? `The text holds the special token ${error.token} at character ${whole(error.pos)}, and special tokens are refused.`
      : wasStopped(error) ? "Stopped: these are not all tokens of the text. They are read on when it changes." : sentence(error);
  byId("notice-ways").hidden = !(error instanceof SpecialTokenError);
  if (error instanceof SpecialTokenError) byId("notice-show").onclick = () => selectInText(error);
  for (const id of ["export-open", "share-open"]) byId<HTMLButtonElement>(id).disabled = true;
  document.body.classList.add("unread");
  setStatus("waiting", NOT_TOKENIZED);
}

function selectInText({ token, pos }: SpecialTokenError): void {
  let start = 0;
  for (let character = 0; character < pos; character++) start += text.value.codePointAt(start)! > 0xffff ? 2 : 1;
  text.select(start, start + token.length);
}

function pin(index: number | null, focus = true): void {
  view.selected = index;
  byId("card").classList.toggle("pinned", index !== null);
  if (index !== null && focus) showAboveSheet(index);
  light(index, true);
  byId("card-close").hidden = index === null;
  showToken(index);
}

/** On a phone, the card is a sheet over the page, which must not hide the token. */
function showAboveSheet(index: number): void {
  view.focusToken(index);
  const token = view.shadowRoot!.activeElement;
  if (!token || getComputedStyle(byId("card")).position !== "fixed") return;
  const tallest = 0.46 * innerHeight + 64; // it grows when the answers come
  const hidden = token.getBoundingClientRect().bottom - (innerHeight - tallest);
  if (hidden > 0) scrollBy(0, hidden);
}

/** From an id or a row to the token. */
function hover(index: number | null): void {
  view.active = index;
  light(index ?? view.selected);
  if (view.selected === null) showToken(index);
}

/** From a token to its id or row; `turn` goes to the row. */
function light(index: number | null, turn = false): void {
  ids.light(index);
  table.light(index, turn);
}

/** A token that was chosen stays, whatever the pointer passes on the way to its card. */
function showToken(index: number | null): void {
  const shown = view.selected ?? index;
  const { encoding } = view;
  if (shown === null || !encoding || !shownBy) return card.clear();
  const done = shown === view.selected
    ? card.explain(shownBy, encoding, shown, policyNow())
    : card.show(shownBy, encoding, shown);
  done.catch((error: unknown) => setStatus("error", sentence(error)));
}

start();

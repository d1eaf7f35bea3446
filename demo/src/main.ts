/** Wires the page together. */

import "./trusted.js";
import "bpeek/define";
import { Encoding, Engine, forgetSnapshot, SpecialTokenError, UnsupportedError } from "bpeek";
import type { Change, Document, Progress, Span, Tokenizer } from "bpeek";
import { Compare, MOST_COLUMNS } from "./compare.js";
import { showCounts } from "./counts.js";
import { dialog } from "./dialog.js";
import { Editor } from "./editor.js";
import { isolated } from "./elements.js";
import { Exporter } from "./export-dialog.js";
import { sentence, size, whole } from "./format.js";
import { givenFiles } from "./given.js";
import { Inspector } from "./inspect.js";
import { Limit } from "./limit.js";
import { Links } from "./links.js";
import { Live } from "./live.js";
import { forgetOffline, keepOffline } from "./offline.js";
import { BUILT_IN, Opening } from "./opening.js";
import { byId, confirmOn, onChosen, onDropped, setStatus } from "./page.js";
import { PolicyChoice } from "./policy.js";
import { SAMPLES } from "./samples.js";
import { Sharer } from "./share-dialog.js";
import type { Shared } from "./share.js";
import { forgetSettings, remember, remembered } from "./settings.js";
import { displayName, Shelf } from "./shelf.js";
import { Stopper, wasStopped } from "./stopper.js";
import { TextBefore } from "./text-before.js";
import { readText } from "./text-file.js";
import { Tokens } from "./tokens.js";

const NO_TOKENIZER = "Choose a tokenizer above, or drop a vocabulary file anywhere.";
const NOT_TOKENIZED = "Not tokenized";
const DIM_AFTER_MS = 150;
/** So long it is told that the engine was started again. */
const TOLD_MS = 8000;

const started = performance.now();
const engine = new Engine({ snapshot: true, onProgress: showProgress });

const text = new Editor(refresh);
const before = new TextBefore(text, () => (isReplaced = true));
const policy = new PolicyChoice(restart);
const sample = byId<HTMLSelectElement>("sample");
const notice = byId("notice");
const colors = byId<HTMLSelectElement>("colors");
const whitespace = byId<HTMLInputElement>("whitespace");
const tokens = new Tokens({ policy: () => policy.value, names: (characters) => engine.characterNames(characters), onLit: markInText });
const { view } = tokens;
const inspector = new Inspector(stopInspecting);
const stopper = new Stopper(byId("cancel"), interrupt);
const inspect = byId<HTMLButtonElement>("inspect");
const exporter = new Exporter();
const sharer = new Sharer();
const help = dialog("help");
const limit = new Limit(showLimit, (token) => view.focusToken(token));
const compare = new Compare({
  text: () => text.value,
  encode: (tokenizer, value, signal) => tokenizer.encode(value, { policy: policy.value, signal }),
  open: openDocument,
  onChange: () => shelf.draw(),
  onError: (error) => setStatus("error", sentence(error)),
});
const shelf = new Shelf(byId("shelf"), BUILT_IN, {
  onPick: pick,
  onRemove: remove,
  onBuiltIn: (name) => opening.named(name),
  onCompare: (which) => void toggleCompared(which, true),
  isCompared: (tokenizer) => compare.has(tokenizer),
});
const opening = new Opening({ engine, shelf, stopper, onOpened: showOpened, onPick: pick, onText: showText });
const links = new Links({
  builtIn: opening.builtIn,
  builtInNames: BUILT_IN,
  loaded: () => shelf.tokenizers,
  current: () => shelf.current,
  show: showLinked,
  open,
  compare: async (which) => {
    if (typeof which === "string" || !compare.has(which)) await toggleCompared(which);
  },
  openKept: (sha256) => opening.kept(sha256),
});
const live = new Live({
  text: () => text.value,
  encode: (value, signal) => shelf.current!.encode(value, { policy: policy.value, signal }),
  open: (encoding) => openDocument(shelf.current!, encoding),
  onStale: markStale,
  onWhole: (encoding) => show(encoding, shelf.current),
  onChange: showChange,
  onSettled: markSettled,
  onError: showProblem,
  onProgress: (done, total) => setStatus("loading", `Reading the text: ${Math.floor((100 * done) / total)} %`),
});

function start(): void {
  const own = new Option("none", "");
  own.hidden = true;
  sample.append(...Object.keys(SAMPLES).map((name) => new Option(name)), own);
  text.write(SAMPLES[sample.value]!);
  tokens.showText(text.value);
  colors.value = remembered("colors") ?? "position";
  showLook();
  listen();
  void begin();
}

async function begin(): Promise<void> {
  try {
    const files = await givenFiles(location.hash, document.baseURI);
    if (files.length > 0) return await opening.files(files);
  } catch (error) {
    return setStatus("error", sentence(error));
  }
  await links.follow(location.hash, BUILT_IN[0]);
}

function listen(): void {
  sample.addEventListener("change", () => before.replace(SAMPLES[sample.value]!));
  whitespace.addEventListener("change", showLook);
  colors.addEventListener("change", () => {
    remember("colors", colors.value);
    showLook();
  });
  inspect.addEventListener("click", () => void inspector.open(shelf.current!));
  byId("share-open").addEventListener("click", () => sharer.open(shared()));
  byId("export-open").addEventListener("click", () => {
    exporter.open({ encoding: tokens.encoding, info: tokens.tokenizer!.info, policy: policy.value, byId: view.colors === "id" });
  });
  byId("help-open").addEventListener("click", () => help.showModal());
  addEventListener("hashchange", () => void links.follow(location.hash));
  addEventListener("keydown", onKey);
  for (const way of ["special", "text"] as const) {
    byId(`notice-${way}`).addEventListener("click", () => {
      policy.value = way;
      restart();
      policy.focus(); // the button goes away
    });
  }
  byId("notice-again").addEventListener("click", () => {
    restart();
    text.focus(); // the button goes away
  });
  byId("forget").addEventListener("click", ({ currentTarget }) => {
    forgetSettings();
    void Promise.all([opening.forget(), forgetOffline(), forgetSnapshot()]).then(() => confirmOn(currentTarget as HTMLElement, "Cleared"));
  });
  onChosen(byId("file"), (files) => void opening.files(files));
  onChosen(byId("text-file"), ([file]) => file && void showText(file));
  byId("dismiss").addEventListener("click", () => {
    if (notice.hidden) showReady();
    else setStatus("waiting", NOT_TOKENIZED);
    byId("help-open").focus(); // the button goes away
  });
  onDropped(document.querySelector<HTMLElement>(".editor")!, (files, onEditor) => {
    void opening.files(files, onEditor ? showText : undefined);
  });
}

function onKey(event: KeyboardEvent): void {
  if (event.key === "/" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!help.open) help.showModal();
  }
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) tokens.release();
}

function showLook(): void {
  view.whitespace = compare.whitespace = whitespace.checked;
  if (view.colors !== colors.value) view.colors = colors.value as "position" | "id";
}

function showLimit(): void {
  view.limit = limit.value;
}

/** The text is another one: its tokens are shown from the first on. */
let isReplaced = false;

function refresh(): void {
  isReplaced = false;
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
  const way = policy.value;
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

// Tokenizers and texts

function showOpened(): Promise<void> {
  links.tell();
  markStale();
  return live.now();
}

/** A file becomes the text. */
async function showText(file: File): Promise<void> {
  try {
    before.replace(await readText(file));
    const note = byId("text-note");
    note.replaceChildren(isolated("", file.name), `, ${size(file.size)}.`);
    note.hidden = false;
    if (!shelf.current) showReady();
  } catch (error) {
    setStatus("error", sentence(error));
  }
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

async function toggleCompared(which: Tokenizer | string, reveal = false): Promise<void> {
  if (typeof which !== "string" && compare.has(which)) return compare.remove(which);
  if (typeof which === "string" && opening.isReading(which)) return;
  if (compare.isFull) return setStatus("ready", `${MOST_COLUMNS} tokenizers are compared at most: let go of one first`);
  const tokenizer = typeof which === "string" ? await opening.beside(which) : which;
  if (!tokenizer) return;
  if (tokenizer !== which) showReady();
  compare.add(tokenizer, reveal);
}

// The engine

/** Whether the next start of a worker is expected: the first is, and one after an interruption. */
let isExpected = true;
/** When a worker was last started in the place of one that died. */
let revived = -Infinity;

function interrupt(): void {
  isExpected = true;
  engine.interrupt();
}

/** Texts wait in the same queue: one that was written just before did not ask to be stopped. */
function stopInspecting(): void {
  interrupt();
  live.resume();
  compare.resume();
}

function showProgress({ phase, loaded, total }: Progress): void {
  const bytes = total > 0 ? `${size(loaded)} of ${size(total)}` : size(loaded);
  if (phase === "runtime") setStatus("loading", `Starting Python: ${bytes}`);
  if (phase === "engine") setStatus("loading", "Starting the engine");
  if (phase === "ready" && !isExpected) revived = performance.now();
  if (phase === "ready") isExpected = false;
  if (phase === "vocabulary") setStatus("loading", `Fetching the vocabulary: ${bytes}`);
}

// Links

function shared(): Shared {
  return {
    ...(shelf.current && { vocabulary: links.ref(shelf.current) }),
    others: compare.tokenizers.map((tokenizer) => links.ref(tokenizer)),
    policy: policy.value,
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
  before.replace(link.text);
  if (!shelf.current) tokens.showText(text.value);
}

async function open(which: Tokenizer | string): Promise<void> {
  if (typeof which === "string") await opening.named(which);
  else pick(which);
}

// Showing

function show(encoding: Encoding, tokenizer?: Tokenizer): void {
  tokens.show(encoding, tokenizer);
  showNumbers(encoding);
  compare.show(tokenizer, encoding);
  if (encoding.text === text.value) showReady(); // or else there is more to come
  if (performance.getEntriesByName("first tokens").length > 0) return;
  performance.measure("first tokens", { start: started });
  void keepOffline();
}

/** Only what the edit changed is drawn again; the view goes where one types, or to where another text begins. */
function showChange(encoding: Encoding, change: Change): void {
  tokens.update(encoding, change);
  showNumbers(encoding);
  compare.show(tokens.tokenizer, encoding);
  if (encoding.text !== text.value) return; // there is more to come
  showReady();
  // With the frame's own layout, and not one more.
  if (isReplaced || text.hasFocus) requestAnimationFrame(() => view.reveal(isReplaced ? 0 : lastOf(change, encoding)));
}

function showNumbers(encoding: Encoding): void {
  byId("tokens-hint").textContent = tokens.tokenizer ? (encoding.length === 0 ? "Write, paste or drop a text: its tokens appear here." : "") : NO_TOKENIZER;
  limit.show(encoding);
  showCounts(encoding, limit);
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

const WITH_KERNEL = "a kernel of WebAssembly with tables that Python makes";
const WITHOUT_KERNEL = "pure Python in WebAssembly";

function showReady(): void {
  notice.hidden = byId("notice-ways").hidden = true;
  document.body.classList.remove("unread");
  for (const id of ["inspect", "export-open", "share-open"]) byId<HTMLButtonElement>(id).disabled = !tokens.tokenizer;
  if (tokens.tokenizer) byId("kernel").textContent = tokens.tokenizer.info.kernel ? WITH_KERNEL : WITHOUT_KERNEL;
  const news = performance.now() - revived < TOLD_MS ? ". The engine had stopped; it was started again, with the same tokenizers and text" : "";
  setStatus("ready", tokens.tokenizer ? `Ready: ${displayName(tokens.tokenizer.info)}${news}` : "Choose a tokenizer");
}

/** The text could not be encoded: what is shown stays, dimmed, with the reason. */
function showProblem(error: unknown): void {
  stopper.end("text");
  notice.hidden = false;
  notice.textContent =
    error instanceof SpecialTokenError
      ? `The text holds the special token ${error.token} at character ${whole(error.pos)}, and special tokens are refused.`
      : wasStopped(error) ? "Stopped: these are not all tokens of the text. They are read on when it changes." : sentence(error);
  const isSpecial = error instanceof SpecialTokenError;
  for (const way of ["special", "text", "show"]) byId(`notice-${way}`).hidden = !isSpecial;
  byId("notice-again").hidden = isSpecial;
  byId("notice-ways").hidden = false;
  if (isSpecial) byId("notice-show").onclick = () => selectInText(error);
  for (const id of ["export-open", "share-open"]) byId<HTMLButtonElement>(id).disabled = true;
  document.body.classList.add("unread");
  setStatus("waiting", NOT_TOKENIZED);
}

/** Where the token is in the text, unless that has become another one. */
function markInText(place: Span | undefined): void {
  text.mark(...(place && tokens.encoding.text === text.value ? place : ([0, 0] as const)));
}

function selectInText({ token, pos }: SpecialTokenError): void {
  let start = 0;
  for (let character = 0; character < pos; character++) start += text.value.codePointAt(start)! > 0xffff ? 2 : 1;
  text.select(start, start + token.length);
}

start();

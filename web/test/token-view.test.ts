// @vitest-environment happy-dom
import { beforeAll, beforeEach, expect, test } from "vitest";
import { spoken } from "../src/draw.js";
import { TokenView, type TokenEvent } from "../src/token-view.js";
import { Encoding } from "../src/encoding.js";
import { columnsOf, spans } from "./toys.js";

let view: TokenView;

beforeAll(() => TokenView.define());
beforeEach(() => {
  view = document.createElement("token-view") as TokenView;
  document.body.replaceChildren(view);
});

const all = (selector: string) => [...view.shadowRoot!.querySelectorAll<HTMLElement>(selector)];
const tokens = () => all("[data-id]");

test("one element for each token, with its data", () => {
  view.encoding = new Encoding("a🙂b", columnsOf("a🙂b"));
  expect(tokens().map(({ dataset }) => [dataset.id, dataset.start, dataset.end])).toEqual([
    ["97", "0", "1"],
    ["128578", "1", "3"],
    ["98", "3", "4"],
  ]);
});

test("a character of several tokens is drawn once", () => {
  view.encoding = spans(" 🦜", [0, 3], [1, 3], [1, 3]);
  expect(tokens()).toHaveLength(3);
  expect(all(".glyph").map(({ textContent }) => textContent)).toEqual(["🦜"]);
  expect(all(".slices > *")).toHaveLength(3);
  expect(view.shadowRoot!.textContent).toBe(" 🦜");
});

test("text is never markup", () => {
  const text = "<img src=x onerror=alert(1)>";
  view.encoding = spans(text, [0, 10], [10, text.length]);
  expect(all("img")).toHaveLength(0);
  expect(view.shadowRoot!.textContent).toBe(text);
});

test("special tokens without text show their name", () => {
  view.encoding = new Encoding("a", Uint32Array.from([9, 97, 0, 0, 0, 1, 0, 0, 0, 1]), new Map([[9, "<s>"]]));
  expect(all(".special").map(({ dataset, textContent }) => [dataset.label, textContent])).toEqual([["<s>", ""]]);
});

test("what looks like a special token and is none stands in a frame", () => {
  const rows: [number, number][] = [[0, 2], [2, 4], [4, 7], [7, 10]];
  const written = spans("a <s>b<s>!", ...rows);
  view.encoding = new Encoding(written.text, Uint32Array.from([1, 2, 3, 9, ...rows.map(([start]) => start), ...rows.map(([, end]) => end), ...Array(8).fill(0)]), new Map([[9, "<s>"]]));
  expect(all(".lookalike").map(({ textContent }) => textContent)).toEqual(["<s>b<"]);
  expect(all(".special")).toHaveLength(1);
  expect(view.shadowRoot!.textContent).toBe("a <s>b<s>!");
});

test("marks stand beside the characters they show", () => {
  view.encoding = spans("a\u001b\n b", [0, 3], [3, 5]);
  expect(all(".mark").map(({ dataset }) => dataset.mark)).toEqual(["\\x1b", "↵"]);
  view.whitespace = true;
  expect(all(".mark").map(({ dataset }) => dataset.mark)).toEqual(["\\x1b", "↵", "·"]);
  expect(view.shadowRoot!.textContent).toBe("a\u001b\n b");
});

test("keys move, choose and let go", () => {
  const chosen: (number | null)[] = [];
  view.addEventListener("token-select", (event) => chosen.push((event as TokenEvent).detail.index));
  view.encoding = spans("abc", [0, 1], [1, 2], [2, 3]);
  view.focusToken(0);
  const press = (key: string) => view.shadowRoot!.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  press("ArrowRight");
  press("Enter");
  press("End");
  press("ArrowRight");
  press("Enter");
  press("Escape");
  expect(chosen).toEqual([1, 2, null]);
  expect(all("[tabindex='0']").map(({ textContent }) => textContent)).toEqual(["c"]);
});

/** Tokens of ten characters: few elements for much text, as the DOM of these tests is slow. */
function tens(text: string): Encoding {
  const starts = Array.from({ length: Math.ceil(text.length / 10) }, (_, i) => 10 * i);
  return spans(text, ...starts.map((start): [number, number] => [start, Math.min(text.length, start + 10)]));
}

test("an edit draws only its blocks anew, and a selected token stays selected", () => {
  const text = "some words in a line\nand more in the next: so\n".repeat(100);
  view.encoding = tens(text);
  const blocks = all(".block");
  for (let i = 0; i < text.length / 10; i += 50) view.focusToken(i); // draws them all
  view.selected = 400;
  const elementOf = (index: number) => all(`[data-index="${index}"]`)[0]!;
  const [before, behind] = [elementOf(10), elementOf(400)];

  const next = text.slice(0, 2000) + "twenty characters in" + text.slice(2010);
  view.update(tens(next), { index: 200, removed: 1, added: 2, start: 2000, end: 2010, length: 20 });

  expect(view.shadowRoot!.textContent).toBe(next);
  expect(all(".block")).toEqual(blocks);
  expect([elementOf(10), elementOf(401)]).toEqual([before, behind]);
  expect(behind.dataset).toMatchObject({ index: "401", start: "4010", end: "4020" });
  expect(view.selected).toBe(401);
  expect(all(".selected")).toHaveLength(1);
  expect(tokens().map(({ dataset }) => Number(dataset.index))).toEqual([...view.encoding!.ids.keys()]);
});

test("edits anywhere, block by block, show what a full drawing shows", () => {
  let text = "words, and lines of many words on this page of text\nshort one\n".repeat(100);
  view.encoding = tens(text);
  for (let i = 0; i < 40; i++) {
    const start = 10 * ((i * 7919) % Math.floor(text.length / 10));
    const end = Math.min(text.length, start + 10 * (i % 7 === 0 ? 90 : i % 3));
    const come = "new lines\n".repeat((i % 4) * (i % 5 === 0 ? 40 : 1));
    text = text.slice(0, start) + come + text.slice(end);
    const removed = Math.ceil((end - start) / 10);
    view.update(tens(text), { index: start / 10, removed, added: come.length / 10, start, end, length: come.length });
    expect(view.shadowRoot!.textContent).toBe(text);
  }
  expect(all(".block").length).toBeLessThan(text.length / 700);
});

test.each([
  [" hello", "space hello"],
  ["    ", "4 × space"],
  ["\n\n", "2 × newline"],
  ["", "no text"],
])("%j is spoken as %j", (text, words) => {
  expect(spoken(text)).toBe(words);
});

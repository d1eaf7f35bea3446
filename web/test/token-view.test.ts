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

test.each([
  [" hello", "space hello"],
  ["    ", "4 × space"],
  ["\n\n", "2 × newline"],
  ["", "no text"],
])("%j is spoken as %j", (text, words) => {
  expect(spoken(text)).toBe(words);
});

// @vitest-environment happy-dom
import { beforeAll, beforeEach, expect, test } from "vitest";
import { compare } from "../src/compare.js";
import { Encoding } from "../src/encoding.js";
import { toRows } from "../src/rows.js";
import { TokenCompare, type SegmentEvent } from "../src/token-compare.js";

let view: TokenCompare;

beforeAll(() => TokenCompare.define());
beforeEach(() => {
  view = document.createElement("token-compare") as TokenCompare;
  document.body.replaceChildren(view);
});

const all = (selector: string) => [...view.shadowRoot!.querySelectorAll<HTMLElement>(selector)];

/** Tokens that end at these places, of a text of one-byte characters. */
function cutAt(text: string, ...ends: number[]): Encoding {
  const starts = [0, ...ends.slice(0, -1)];
  return new Encoding(text, Uint32Array.from([...ends.keys(), ...starts, ...ends, ...starts, ...ends]));
}

const text = "one two<b>\nthree four\n";
const first = cutAt(text, 3, 7, 10, 11, 16, 21, 22);
const second = cutAt(text, 3, 5, 7, 10, 11, 16, 18, 21, 22);

test("columns side by side, with what differs in frames", () => {
  view.show(compare([first, second]), ["a", "<i>b</i>"]);
  expect(all(".name").map(({ textContent }) => textContent)).toEqual(["a", "<i>b</i>"]);
  expect(all(".count").map(({ textContent }) => textContent)).toEqual(["7 tokens", "9 tokens"]);
  expect(all(".facts").map(({ textContent }) => textContent!.split(" · ")[0])).toEqual(["fewest", "+28.6 %"]);
  expect(all(".row")).toHaveLength(2);
  expect(all(".differs").map(({ textContent }) => textContent)).toEqual([" two", " two", " four", " four"]);
  const columns = [0, 1].map((column) => all(".row").map((row) => row.children[column]!.textContent).join(""));
  expect(columns).toEqual([text, text]);
  expect(all("b")).toHaveLength(0);
});

test("a segment lights up in every column, and is told", () => {
  const told: (number | null)[] = [];
  view.addEventListener("segment-hover", (event) => told.push((event as SegmentEvent).detail.segment));
  view.show(compare([first, second]), ["a", "b"]);
  all(".cell:last-child .differs")[0]!.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  expect(all(".active").map(({ textContent }) => textContent)).toEqual([" two", " two"]);
  expect(told).toEqual([1]);
});

test("keys go from difference to difference", () => {
  view.show(compare([first, second]), ["a", "b"]);
  view.focusDifference(0);
  const press = (key: string) => view.shadowRoot!.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  expect(view.shadowRoot!.activeElement!.ariaLabel).toBe("space two; a, 1: space two; b, 2: space t | wo");
  press("ArrowRight");
  expect(view.shadowRoot!.activeElement!.textContent).toBe(" four");
  press("ArrowRight");
  press("Home");
  expect(view.difference).toBe(0);
  expect(all("[tabindex='0']")).toHaveLength(1);
});

test("only lines that differ", () => {
  view.show(compare([first, cutAt(text, 3, 5, 7, 10, 11, 16, 21, 22)]), ["a", "b"]);
  expect(all(".row")).toHaveLength(2);
  view.differences = true;
  expect(all(".row")).toHaveLength(1);
});

test("rows hold every segment once, and are not long", () => {
  const long = "word ".repeat(2000) + "x".repeat(900);
  const ends = [...Array.from({ length: 2000 }, (_, i) => 5 * i + 5), ...Array.from({ length: 900 }, (_, i) => 10_001 + i)];
  const comparison = compare([cutAt(long, ...ends), cutAt(long, ...ends)]);
  const rows = toRows(comparison);
  expect(rows.map(({ first }) => first)).toEqual([0, ...rows.slice(0, -1).map(({ last }) => last)]);
  expect(rows.at(-1)).toMatchObject({ last: comparison.starts.length, end: long.length });
  expect(Math.max(...rows.map(({ start, end }) => end - start))).toBeLessThanOrEqual(240);
});

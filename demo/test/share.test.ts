import { Encoding } from "bpeek";
import { expect, test } from "vitest";
import { cutAt, parseLimit } from "../src/limit.js";
import { fromFragment, MOST_TEXT, toFragment, type Shared } from "../src/share.js";

const ALL: Shared = {
  vocabulary: { sha256: "ab".repeat(32), name: "my file, \u202e<b>&v=x#.json" },
  others: [{ builtIn: "cl100k_base" }, { sha256: "cd".repeat(32), name: "" }],
  policy: "error",
  colors: "id",
  whitespace: true,
  limit: 4096,
  text: "naïve 🦜\u0000\n<script>#&=",
};

test("a link says all of it, and the text only if it is given", async () => {
  const fragment = await toFragment(ALL);
  expect(fragment).toMatch(/^[\w\-.~%+=&*]+$/);
  expect(await fromFragment(`#${fragment}`)).toEqual({ ...ALL, isDamaged: false });
  const { text, ...others } = ALL;
  expect(await toFragment(others)).not.toContain("text");
  expect(await fromFragment("")).toEqual({ isDamaged: false });
  expect(await fromFragment(await toFragment({ text: "" }))).toEqual({ text: "", isDamaged: false });
  const long = "words and words. ".repeat(10_000);
  expect((await toFragment({ text: long })).length).toBeLessThan(2000);
  expect((await fromFragment(await toFragment({ text: long }))).text).toBe(long);
});

test("what is damaged is left out, and the rest is read", async () => {
  const fragment = await toFragment(ALL);
  expect(await fromFragment(fragment.slice(0, -6))).toMatchObject({ limit: 4096, isDamaged: true });
  expect((await fromFragment(fragment.slice(0, -6))).text).toBeUndefined();
  for (const wrong of ["text=%%%", "text=AAAA", "v=../x", "v=sha256-12", "special=all", "colors=%00", "limit=-1", "limit=1e99", "spaces=yes", "with=%3Cb%3E"]) {
    expect(await fromFragment(`${wrong}&limit=7`)).toMatchObject({ isDamaged: true });
  }
});

test("any damage is survived", async () => {
  const fragment = await toFragment(ALL);
  for (let i = 0; i < fragment.length; i += 3) {
    const { isDamaged } = await fromFragment(`${fragment.slice(0, i)}~${fragment.slice(i + 1)}`);
    expect(typeof isDamaged).toBe("boolean");
  }
});

test("a small link that unpacks to a great deal is refused", async () => {
  const bomb = await toFragment({ text: "a".repeat(MOST_TEXT + 1) });
  expect(bomb.length).toBeLessThan(2000);
  expect(await fromFragment(bomb)).toEqual({ isDamaged: true });
});

test("a limit", () => {
  expect(["", " 12 ", "1.5", "-3", "0", "1e12", "x"].map(parseLimit)).toEqual([null, 12, null, null, null, null, null]);
});

test("a text is left between tokens, and never inside a character", () => {
  // a · 🦜 as three tokens · b · one without text
  const columns = [1, 2, 3, 4, 5, 6, 0, 1, 1, 1, 3, 0, 1, 3, 3, 3, 4, 0, 0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 6, 0];
  const encoding = new Encoding("a🦜b", Uint32Array.from(columns));
  expect([1, 2, 3, 4, 5].map((limit) => cutAt(encoding, limit))).toEqual([
    { token: 1, character: 1 },
    { token: 1, character: 1 },
    { token: 1, character: 1 },
    { token: 4, character: 2 },
    { token: 5, character: 3 },
  ]);
});

import { afterEach, expect, test, vi } from "vitest";
import { givenFiles } from "../src/given.js";

const BASE = "http://127.0.0.1:8000/sub/";
const asked: string[] = [];

afterEach(() => {
  vi.unstubAllGlobals();
  asked.length = 0;
});

function serve(status = 200): void {
  vi.stubGlobal("fetch", (url: URL) => {
    asked.push(url.href);
    return Promise.resolve(new Response("content", { status }));
  });
}

test("the files of a link come from beside the page, under their own names", async () => {
  serve();
  const files = await givenFiles("#open=0/vocab.json&open=1/a%20%23b%3F%25.txt", BASE);
  expect(files.map(({ name }) => name)).toEqual(["vocab.json", "a #b?%.txt"]);
  expect(await files[1]!.text()).toBe("content");
  expect(asked).toEqual([`${BASE}given/0/vocab.json`, `${BASE}given/1/a%20%23b%3F%25.txt`]);
  expect(await givenFiles("#v=cl100k_base", BASE)).toEqual([]);
});

test("a link names nothing else", async () => {
  serve();
  for (const wrong of ["https://evil.example/x", "//evil.example/x", "0/../../x", "../x", "0/..\\x", "x", "0/", "data:,x", "0/a/b"]) {
    await expect(givenFiles(`#open=${encodeURIComponent(wrong)}`, BASE)).rejects.toThrow("This link is damaged");
  }
  await givenFiles("#open=0/..", BASE).catch(() => undefined);
  expect(asked.every((url) => url.startsWith(`${BASE}given/`))).toBe(true);
});

test("what is no longer offered is told", async () => {
  serve(404);
  await expect(givenFiles("#open=0/%E2%80%AEx.json", BASE)).rejects.toThrow("\\u{202e}x.json: `bpeek serve` no longer offers it");
});

import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { get } from "../src/host-node.js";
import { content, toBlob } from "../src/source.js";

const HEADER = 64 * 2 ** 20;
const ZEROS = new Uint8Array(2 ** 20);
/** What a file of so many megabytes begins with, and is told to have. */
const large = (head: string, megabytes: number) => new Blob([head, ...Array<Uint8Array<ArrayBuffer>>(megabytes).fill(ZEROS)]);

test("of a GGUF, its header is read; of anything else, all", async () => {
  expect((await content(large("GGUF", 65))).byteLength).toBe(HEADER);
  expect((await content(large("GGUF", 1))).byteLength).toBe(2 ** 20 + 4);
  expect((await content(large("{", 65))).byteLength).toBe(65 * 2 ** 20 + 1);
  expect((await content(new Blob([]))).byteLength).toBe(0);
});

test("of a GGUF that is fetched, no more than its header is asked for", async () => {
  let asked = 0;
  const cancel = vi.fn();
  const parts = (head: string, most: number) =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (asked++ === most) return controller.close();
        controller.enqueue(asked === 1 ? new TextEncoder().encode(head) : ZEROS);
      },
      cancel,
    });
  vi.stubGlobal("location", new URL("https://example.org/"));
  vi.stubGlobal("fetch", async () => new Response(parts("GGUF\x03", 1000)));
  const blob = await toBlob(new URL("https://example.org/model.gguf"), () => {});
  expect(blob.size).toBe(HEADER + 5);
  expect(asked).toBeLessThan(70);
  await vi.waitFor(() => expect(cancel).toHaveBeenCalled());
  asked = 0;
  vi.stubGlobal("fetch", async () => new Response(parts("{", 70)));
  expect((await toBlob(new URL("https://example.org/tokenizer.json"), () => {})).size).toBe(69 * 2 ** 20 + 1);
  vi.unstubAllGlobals();
});

test("Node reads a file bit by bit, and says what is wrong", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bpeek-"));
  try {
    const url = pathToFileURL(join(folder, "model.gguf"));
    await writeFile(url, "GGUF");
    await truncate(url, 6 * 2 ** 30); // more than a buffer may have
    const reader = (await get(url, undefined)).body!.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value!.subarray(0, 4))).toBe("GGUF");
    await reader.cancel();
    const missing = get(pathToFileURL(join(folder, "no.json")), undefined).then((response) => response.blob());
    await expect(missing).rejects.toThrow(/ENOENT|no such file/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** The text of a file, if it is one: what it is, its content decides. */

import { size } from "./format.js";

/** More than that no text field shows in reasonable time. */
const MOST_BYTES = 10e6;
/** So much is looked at to tell UTF-16 without a mark. */
const LOOKED_AT = 4096;

/** What bears such a name is meant as a tokenizer, even if it is broken. */
const TOKENIZER = /\.(tiktoken|ranks|json|model|gguf|bpe|gz|zip)$|^(merges|vocab).*\.txt$/i;

export const mayBeText = (name: string): boolean => !TOKENIZER.test(name);

/** Rejects with a sentence that says why it is none, and what to do. */
export async function readText(file: File): Promise<string> {
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} has ${size(file.size)}, and the page takes texts of up to ${size(MOST_BYTES)}: the command bpeek encode takes any.`);
  }
  return decode(new Uint8Array(await file.arrayBuffer()), file.name);
}

export function decode(bytes: Uint8Array, name: string): string {
  const encoding = encodingOf(bytes);
  if (encoding === undefined) throw new Error(`${name} is text in UTF-32, which no browser reads: save it as UTF-8.`);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    if (!isBinary(bytes)) throw new Error(`${name} is in an encoding that it does not tell, perhaps Latin-1 or Shift JIS: save it as UTF-8.`);
  }
  throw new Error(`${name} is neither a text nor a tokenizer: it holds bytes that no text has.`);
}

/** By the mark at its beginning, which is no part of the text; or as only UTF-16 has every other byte zero. */
function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff)) return undefined;
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  const zeros = [0, 0];
  const looked = bytes.subarray(0, LOOKED_AT);
  looked.forEach((byte, i) => byte === 0 && zeros[i % 2]!++);
  const [even, odd] = zeros as [number, number];
  const many = looked.length / 4;
  if (odd > many && even === 0) return "utf-16le";
  if (even > many && odd === 0) return "utf-16be";
  return "utf-8";
}

/** Control characters that no text holds, in what is not UTF-8. */
const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, LOOKED_AT).some((byte) => byte < 9 || (byte > 13 && byte < 27));

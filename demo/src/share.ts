/**
 * What the page shows, as the fragment of a link: the part behind `#`, which browsers never send to a server.
 * Links come from anyone, and may be damaged: what cannot be read is left out, and said.
 */

import type { SpecialPolicy } from "bpeek";
import { parseLimit } from "./limit.js";

export interface Shared {
  /** A tokenizer that comes with the page, by its name, or a file by its SHA-256. */
  vocabulary?: VocabularyRef;
  /** Others that it is compared with. */
  others?: VocabularyRef[];
  policy?: SpecialPolicy;
  colors?: "position" | "id";
  whitespace?: boolean;
  limit?: number | null;
  text?: string;
}

export type VocabularyRef = { builtIn: string } | { sha256: string; name: string };

/** A longer text is no text for a link. */
export const MOST_TEXT = 200_000;
const POLICIES: readonly string[] = ["special", "text", "error"] satisfies SpecialPolicy[];

export async function toFragment({ vocabulary, others = [], policy, colors, whitespace, limit, text }: Shared): Promise<string> {
  const fields = new URLSearchParams();
  if (vocabulary) fields.append("v", written(vocabulary));
  for (const other of others) fields.append("with", written(other));
  if (policy && policy !== "special") fields.append("special", policy);
  if (colors === "id") fields.append("colors", colors);
  if (whitespace) fields.append("spaces", "1");
  if (limit) fields.append("limit", String(limit));
  if (text !== undefined) fields.append("text", await packed(text));
  return fields.toString();
}

/** `isDamaged`: some of it could not be read. Never throws. */
export async function fromFragment(fragment: string): Promise<Shared & { isDamaged: boolean }> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const shared: Shared & { isDamaged: boolean } = { isDamaged: false };
  const read = <T>(name: string, parse: (value: string) => T | undefined): T | undefined => {
    const value = fields.get(name);
    if (value === null) return undefined;
    const parsed = parse(value);
    shared.isDamaged ||= parsed === undefined;
    return parsed;
  };
  const known = Object.entries({
    vocabulary: read("v", ref),
    policy: read("special", (value) => (POLICIES.includes(value) ? (value as SpecialPolicy) : undefined)),
    colors: read("colors", (value) => (value === "id" ? value : undefined)),
    whitespace: read("spaces", (value) => value === "1" || undefined),
    limit: read("limit", (value) => parseLimit(value) ?? undefined),
  });
  Object.assign(shared, Object.fromEntries(known.filter(([, value]) => value !== undefined)));
  const others = fields.getAll("with").map(ref);
  shared.isDamaged ||= others.includes(undefined);
  if (others.length > 0) shared.others = others.filter((other) => other !== undefined).slice(0, 3);
  const text = fields.get("text");
  if (text !== null) {
    const unpacked = await unpackedFrom(text).catch(() => undefined);
    if (unpacked === undefined) shared.isDamaged = true;
    else shared.text = unpacked;
  }
  return shared;
}

const written = (vocabulary: VocabularyRef): string =>
  "builtIn" in vocabulary ? vocabulary.builtIn : `sha256-${vocabulary.sha256} ${vocabulary.name}`;

function ref(value: string): VocabularyRef | undefined {
  const [, sha256, name] = /^sha256-([0-9a-f]{64}) ?(.{0,200})$/su.exec(value) ?? [];
  if (sha256 !== undefined) return { sha256, name: name ?? "" };
  return /^\w{1,40}$/.test(value) ? { builtIn: value } : undefined;
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpackedFrom(value: string): Promise<string | undefined> {
  const bytes = Uint8Array.from(atob(value.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (;;) {
    const { value: part, done } = await reader.read();
    text += decoder.decode(part, { stream: !done });
    // A few bytes can unpack to gigabytes.
    if (text.length > MOST_TEXT) {
      await reader.cancel();
      return undefined;
    }
    if (done) return text;
  }
}

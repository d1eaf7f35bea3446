/** Values in words. */

import { WorkerError, type Span } from "bpeek";

const number = new Intl.NumberFormat("en");

export const whole = (value: number): string => number.format(value);

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

export const date = (value: Date): string => day.format(value);

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");

const ESCAPES: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/** Text as one writes it in code: what cannot be seen is spelled out. */
export function escaped(text: string): string {
  return text.replace(/[\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return ESCAPES[character] ?? (code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u{${code}}`);
  });
}

/** A token as the engine spells it, where a backslash already stands before the bytes that are no text. */
export const spelled = (token: string): string => escaped(token).replaceAll("\\\\", "\\");

export const place = ([start, end]: Span): string => `${start} – ${end}`;

export const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

const STOPPED = "The engine stopped: perhaps this browser has too little memory left. Your text and your tokenizers are still here, and it starts again with what you do next.";

/** An error as a sentence. It may begin with a file name, so no letter is raised; a drawing of the place is left out. */
export function sentence(error: unknown): string {
  if (error instanceof WorkerError && error.when === "work") return STOPPED;
  if (error instanceof WorkerError && error.when === "start") return notStarted(error);
  const message = (error instanceof Error ? error.message : String(error)).split("\n    ", 1)[0]!;
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

function notStarted({ message }: WorkerError): string {
  const why = message.replace(/^The \w+ stopped: /, "").replace(/\.$/, "");
  return `The engine could not start: ${why}. To try again, load a tokenizer.`;
}

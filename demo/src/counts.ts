/** How much the text is: tokens, characters and bytes, for eyes at once, and for ears when it has rested. */

import type { Encoding } from "bpeek";
import { whole } from "./format.js";
import type { Limit } from "./limit.js";
import { byId } from "./page.js";

const SPEAK_AFTER_MS = 1000;

let speaking: ReturnType<typeof setTimeout>;

export function showCounts({ length, bytes, codePoints }: Encoding, limit: Limit): void {
  const count = byId("count");
  count.textContent = whole(length);
  count.dataset.value = String(length);
  byId("characters").textContent = whole(codePoints);
  byId("bytes").textContent = whole(bytes);
  byId("ratio").textContent = length > 0 ? (bytes / length).toFixed(2) : "–";
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    byId("spoken-count").textContent = [`${whole(length)} tokens`, limit.inWords].filter((part) => part !== "").join(", ");
  }, SPEAK_AFTER_MS);
}

/** What a strict TypeScript user may and may not write. */

import { createEngine, FormatError, type Encoding } from "bpeek";

const engine = await createEngine({ workers: 2, signal: AbortSignal.timeout(1000) });
const trusted = { toJSON: () => "worker.js" };
void createEngine({ workerURL: trusted }); // as a TrustedScriptURL
const tokenizer = await engine.load(new URL("x", import.meta.url), { specialTokens: { "<s>": 1 } });
const encoding: Encoding = await tokenizer.encode("a");
const ids: Uint32Array = encoding.ids;
const line = (error: unknown): number | undefined => (error instanceof FormatError ? error.line : undefined);
void tokenizer.encode("a", { allowedSpecial: new Set(["<s>"]), policy: "text" });
// @ts-expect-error: one string is no set
void tokenizer.count("a", { allowedSpecial: "<s>" });
// @ts-expect-error: no such policy
void tokenizer.encode("a", { policy: "no" });
// @ts-expect-error: a vocabulary is no number
void engine.load(1);
export { ids, line };

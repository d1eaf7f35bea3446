// The JavaScript and WebAssembly tokenizers, each behind the same two functions:
//     ids(text)   an array of numbers, of whatever kind the engine gives
//     forget()    empties its cache, if it has one
// `env.bytes(name)` reads a file: "vocab/…", "wasm/…"; `env.python()` starts Pyodide with bpeek in it.
import { Tokenizer as AiTokenizer } from "ai-tokenizer";
import * as aiCl100k from "ai-tokenizer/encoding/cl100k_base";
import * as aiO200k from "ai-tokenizer/encoding/o200k_base";
import * as gptCl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as gptO200k from "gpt-tokenizer/encoding/o200k_base";
import { Tokenizer as HfTokenizer } from "@huggingface/tokenizers";
import { Tiktoken as JsTiktoken } from "js-tiktoken/lite";
import jsCl100k from "js-tiktoken/ranks/cl100k_base";
import jsO200k from "js-tiktoken/ranks/o200k_base";
import initKitoken, { Kitoken } from "kitoken/web";
import wasmCl100k from "tiktoken/encoders/cl100k_base.json";
import wasmO200k from "tiktoken/encoders/o200k_base.json";
import { init as initTiktoken, Tiktoken } from "tiktoken/lite/init";
import { bpeek } from "./bpeek.mjs";

const AI = { cl100k_base: aiCl100k, o200k_base: aiO200k };
const GPT = { cl100k_base: gptCl100k, o200k_base: gptO200k };
const JS = { cl100k_base: jsCl100k, o200k_base: jsO200k };
const WASM = { cl100k_base: wasmCl100k, o200k_base: wasmO200k };

const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

const loaded = async ({ file }, env, kernel) => bpeek(await env.python(), await env.bytes(`vocab/${file}`), file, kernel);

/** Each gives an engine, or nothing if it cannot have that vocabulary. */
export const MAKERS = {
  "bpeek (Pyodide)": (vocabulary, env) => loaded(vocabulary, env, ""),

  "bpeek (Pyodide) without the kernel": async (vocabulary, env) => {
    const { ids, forget } = await loaded(vocabulary, env, "0");
    return { ids, forget };
  },

  tiktoken: async ({ name }, env) => {
    if (!WASM[name]) return undefined;
    await (env.tiktoken ??= env.bytes("wasm/tiktoken.wasm").then((wasm) => initTiktoken((imports) => WebAssembly.instantiate(wasm, imports))));
    const { bpe_ranks, special_tokens, pat_str } = WASM[name];
    const encoding = new Tiktoken(bpe_ranks, special_tokens, pat_str);
    return { ids: (text) => encoding.encode_ordinary(text) };
  },

  "gpt-tokenizer": ({ name }) => {
    if (!GPT[name]) return undefined;
    const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
    return { ids: (text) => GPT[name].encode(text, options), forget: () => GPT[name].clearMergeCache() };
  },

  "js-tiktoken": ({ name }) => {
    if (!JS[name]) return undefined;
    const encoding = new JsTiktoken(JS[name]);
    return { ids: (text) => encoding.encode(text, [], []) };
  },

  "ai-tokenizer": ({ name }) => {
    if (!AI[name]) return undefined;
    const tokenizer = new AiTokenizer(AI[name]);
    return { ids: (text) => tokenizer.encode(text, [], []), forget: () => tokenizer.mergeCache.clear() };
  },

  kitoken: async ({ file }, env) => {
    await (env.kitoken ??= env.bytes("wasm/kitoken.wasm").then((wasm) => initKitoken({ module_or_path: wasm })));
    const data = await env.bytes(`vocab/${file}`);
    const tokenizer = file.endsWith(".json") ? Kitoken.from_tokenizers(data) : Kitoken.from_tiktoken(data);
    return { ids: (text) => tokenizer.encode(text, false) };
  },

  "@huggingface/tokenizers": async ({ json }, env) => {
    if (!json) return undefined;
    const tokenizer = new HfTokenizer(parse(await env.bytes(`vocab/${json}`)), {});
    return { ids: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids };
  },
};

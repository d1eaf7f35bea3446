/** Names that the README's shorter examples take for given. */

import type * as bpeek from "bpeek";
import type { TokenView } from "bpeek/token-view";
import "bpeek/define";
declare global {
  const createEngine: typeof bpeek.createEngine;
  const SpecialTokenError: typeof bpeek.SpecialTokenError;
  const engine: bpeek.Engine;
  const tokenizer: bpeek.Tokenizer;
  const tokenizers: bpeek.Tokenizer[];
  const view: TokenView;
  const file: File;
  const text: string;
  const texts: string[];
  const start: number;
  const end: number;
}

/** The style of `<token-view>`. Hues are Okabe and Ito's, which colour-blind people tell apart; underlines part tokens without any colour. */

export const STYLE = `
:host {
  --_1: var(--token-1, light-dark(#d3e9f8, #17394f));
  --_2: var(--token-2, light-dark(#fbe5bf, #4b380f));
  --_3: var(--token-3, light-dark(#cbeade, #0f4033));
  --_4: var(--token-4, light-dark(#f4dbe8, #4d2a40));
  --_5: var(--token-5, light-dark(#f3efb5, #434012));
  --_line-1: var(--token-line-1, light-dark(#0b74b5, #56b4e9));
  --_line-2: var(--token-line-2, light-dark(#a86200, #e69f00));
  --_line-3: var(--token-line-3, light-dark(#00775a, #2fc59a));
  --_line-4: var(--token-line-4, light-dark(#a8487c, #e08fbd));
  --_line-5: var(--token-line-5, light-dark(#757000, #d2c93f));
  --_ring: var(--token-ring, light-dark(#1d2433, #f2f4f8));
  --_special: var(--token-special, light-dark(#2b3245, #dfe4ee));
  --_special-text: var(--token-special-text, light-dark(#ffffff, #14171c));
  --_lookalike: var(--token-lookalike, light-dark(#a81c2a, #ff9a9f));
  --_over: var(--token-over, light-dark(#5a6070, #9aa2b1));
  --_hatch: light-dark(#8a90a055, #8a93a455);
  --_mark: var(--token-mark, light-dark(#5a6478, #a9b2c3));
  display: block;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono", monospace;
  line-height: 1.9;
  overflow-wrap: anywhere;
  white-space: pre-wrap;
  tab-size: 4;
}
:host([hidden]) { display: none; }
[role=listbox] { outline: none; min-block-size: 1lh; }

.token, .slice {
  --fill: var(--_1);
  --line: var(--_line-1);
  background: linear-gradient(var(--line) 0 0) 1px calc(100% - 1px) / calc(100% - 3px) 2px no-repeat var(--fill);
  border-radius: 3px;
  -webkit-box-decoration-break: clone;
  box-decoration-break: clone;
  cursor: default;
  outline: none;
  padding-block: .18em;
}
/* Text keeps its own order, right to left as well; only what would reorder its surroundings is fenced in. */
.block {
  /* What is far from view is not even laid out. The padding keeps rings from being cut off at the sides. */
  content-visibility: auto;
  contain-intrinsic-block-size: auto 30lh;
  margin-inline: -3px;
  padding-inline: 3px;
  unicode-bidi: plaintext;
}
.fenced { unicode-bidi: isolate; }
.c2 { --fill: var(--_2); --line: var(--_line-2); }
.c3 { --fill: var(--_3); --line: var(--_line-3); }
.c4 { --fill: var(--_4); --line: var(--_line-4); }
.c5 { --fill: var(--_5); --line: var(--_line-5); }

.special {
  background: var(--_special);
  border-radius: 1em;
  color: var(--_special-text);
  font-size: .88em;
  margin-inline: 1px;
  padding-inline: .6em;
}
/* Beyond the limit: struck by a texture, so that it shows without colour, and dimmed. */
.over { --fill: transparent; color: var(--_over); }
.token.over, .slice.over { background: repeating-linear-gradient(-45deg, var(--_hatch) 0 1px, transparent 1px 5px), linear-gradient(var(--line) 0 0) 1px calc(100% - 1px) / calc(100% - 3px) 2px no-repeat; }
.special.over { outline: 1.5px solid var(--_over); outline-offset: -1.5px; }

.empty::before { content: attr(data-label); }

.lookalike { border-radius: 4px; outline: 1.5px dashed var(--_lookalike); outline-offset: 2px; }

.box { display: inline-grid; line-height: 1.17; white-space: pre; }
.box > * { grid-area: 1 / 1; }
/* A box has no direction of its own; these marks give it that of its letter, and are not copied. */
.rtl::before, .rtl::after { content: "\\200f"; }
.slices { display: flex; margin-block: -.18em; }
.slices > * { flex: 1; min-inline-size: .4em; padding: 0; border-radius: 0; }
.slices > :first-child { border-start-start-radius: 3px; border-end-start-radius: 3px; }
.slices > :last-child { border-start-end-radius: 3px; border-end-end-radius: 3px; }
.glyph { align-self: baseline; block-size: 1.17em; pointer-events: none; position: relative; text-align: center; }

.mark::before { color: var(--_mark); content: attr(data-mark); font-size: .85em; }
.over::before { inline-size: 0; display: inline-block; text-indent: .12em; }
.special .mark::before { color: inherit; }

.active, .selected { box-shadow: 0 0 0 2px var(--_ring); position: relative; z-index: 1; }
.slices .active, .slices .selected { border-radius: 3px; z-index: 0; }
.token:focus-visible { outline: 2px solid var(--_ring); outline-offset: 1px; z-index: 2; }

@media (forced-colors: active) {
  .token, .slice { background: none; border-block-end: 2px solid; border-inline-start: 1px solid; }
  .special { border: 1px solid; }
  .active, .selected { background: Highlight; color: HighlightText; forced-color-adjust: none; }
}
`;

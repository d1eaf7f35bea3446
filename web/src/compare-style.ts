/** The style of `<token-compare>`, on top of that of tokens. */

export const COMPARE_STYLE = `
:host { --_plain: var(--compare-line, light-dark(#9aa0ad, #6b7382)); container-type: inline-size; }
.head, .row { display: grid; grid-template-columns: repeat(var(--_columns, 1), minmax(0, 1fr)); }
.head {
  background: var(--compare-background, Canvas); border-block-end: 1px solid var(--_rule); font-family: system-ui, sans-serif;
  inset-block-start: 0; line-height: 1.35; position: sticky; z-index: 4;
}
:host { --_rule: var(--compare-rule, light-dark(#dedfd9, #2b303a)); }
.column, .cell { min-inline-size: 0; padding: 4px 14px; }
.column { padding-block: 10px; }
.column + .column, .cell + .cell { border-inline-start: 1px solid var(--_rule); }
.title { align-items: baseline; display: flex; gap: 8px; }
.tag { border: 1px solid var(--_plain); border-radius: 4px; flex: none; font-size: 11.5px; font-weight: 600; line-height: 1.3; padding: 0 4px; }
.name { font-size: 14px; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.count { color: var(--_soft); font-size: 13px; }
.number { color: var(--_ring); display: inline; font-size: 19px; font-variant-numeric: tabular-nums; font-weight: 600; }
.facts { color: var(--_soft); font-size: 12.5px; font-variant-numeric: tabular-nums; }
:host { --_soft: var(--compare-soft, light-dark(#565d6c, #a3abba)); }
.rows > .block { content-visibility: visible; margin: 0; padding: 0; unicode-bidi: normal; }
.text { unicode-bidi: plaintext; }
.row + .row { border-block-start: 1px solid color-mix(in srgb, var(--_rule) 55%, transparent); }

.segment .token, .segment .slice { --fill: transparent; --line: var(--_plain); }
.segment .special { background: none; box-shadow: inset 0 0 0 1px var(--_plain); color: inherit; }
.differs .token, .differs .slice { --fill: var(--_1); --line: var(--_line-1); }
.differs .c2 { --fill: var(--_2); --line: var(--_line-2); }
.differs .c3 { --fill: var(--_3); --line: var(--_line-3); }
.differs .c4 { --fill: var(--_4); --line: var(--_line-4); }
.differs .c5 { --fill: var(--_5); --line: var(--_line-5); }
.differs {
  border-radius: 4px; box-decoration-break: clone; -webkit-box-decoration-break: clone;
  box-shadow: 0 0 0 1.5px var(--_ring); margin-inline: 2px; outline: none; padding-block: .18em;
}
.segment.active { box-shadow: 0 0 0 2px var(--_ring); border-radius: 4px; position: static; }
.differs.active { box-shadow: 0 0 0 3px var(--_focus); }
:host { --_focus: var(--compare-active, light-dark(#2f4bd0, #9db1ff)); }
.differs:focus-visible { outline: 2px solid var(--_ring); outline-offset: 3px; }

/* Too narrow for columns: one below the other, each behind its letter. */
@container (width < 620px) {
  .head, .row { grid-template-columns: minmax(0, 1fr); }
  .column { align-items: baseline; display: flex; flex-wrap: wrap; gap: 0 12px; padding-block: 3px; }
  .column + .column, .cell + .cell { border-inline-start: 0; }
  .column:first-child { padding-block-start: 8px; }
  .column:last-child { padding-block-end: 8px; }
  .title { flex: 1 1 10em; min-inline-size: 0; }
  .number { font-size: 15px; }
  .cell { display: grid; grid-template-columns: 18px minmax(0, 1fr); padding-block: 1px; }
  .cell::before { color: var(--_soft); content: attr(data-tag); font: 600 11.5px/2.5 system-ui, sans-serif; }
  .row { padding-block: 5px; }
}
@media (forced-colors: active) {
  .differs { outline: 2px solid; }
  .segment.active { background: Highlight; color: HighlightText; }
}
`;

/** An editor for long texts: CodeMirror, which lays out only what is seen. Imported when a text is long. */

import { deleteCharBackwardStrict, history, historyKeymap, insertNewline, standardKeymap } from "@codemirror/commands";
import { EditorSelection, EditorState, StateEffect, StateField, type ChangeSet, type Extension, type Range } from "@codemirror/state";
import { Decoration, EditorView, keymap, layer, RectangleMarker, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { editBetween } from "bpeek";

/** Each line goes in the direction of its first letter. */
const line = Decoration.line({ attributes: { dir: "auto" } });
const directions = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = visibleLines(view);
    }
    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = visibleLines(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function visibleLines({ state: { doc }, viewport: { from, to } }: EditorView): DecorationSet {
  const starts: Range<Decoration>[] = [];
  for (let at = from; at <= to; at = doc.lineAt(at).to + 1) starts.push(line.range(doc.lineAt(at).from));
  return Decoration.set(starts);
}

/** A part that is marked, until the text changes. */
const mark = StateEffect.define<{ from: number; to: number }>();
const NONE = { from: 0, to: 0 };
const marked = StateField.define<{ from: number; to: number }>({
  create: () => NONE,
  update: (before, { docChanged, effects }) => effects.find((effect) => effect.is(mark))?.value ?? (docChanged ? NONE : before),
});
const marks = layer({
  above: false,
  class: "marks",
  update: ({ docChanged, viewportChanged, geometryChanged, startState, state }) =>
    docChanged || viewportChanged || geometryChanged || startState.field(marked) !== state.field(marked),
  markers: (view) => {
    const { from, to } = view.state.field(marked);
    return from < to ? RectangleMarker.forRange(view, "mark", EditorSelection.range(from, to)) : [];
  },
});

const PADDING = 14;

/** The page's own colours and type reach into the shadow tree. */
const look = EditorView.theme({
  "&": { flex: "1", minInlineSize: "0" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "inherit", lineHeight: "inherit" },
  ".cm-content": { caretColor: "var(--ink)", padding: `${PADDING}px 0` },
  ".cm-line": { padding: "0 16px" },
  ".mark": { background: "var(--lit)", borderRadius: "3px", outline: "1.5px solid var(--accent)" },
});

/** Every character is text: no indentation comes or goes by itself, and Tab leaves the editor. */
const EXTENSIONS: Extension = [
  history(),
  keymap.of([
    { key: "Enter", run: insertNewline, shift: insertNewline },
    { key: "Backspace", run: deleteCharBackwardStrict, shift: deleteCharBackwardStrict },
    ...standardKeymap,
    ...historyKeymap,
  ]),
  EditorView.lineWrapping,
  EditorView.perLineTextDirection.of(true),
  EditorView.scrollMargins.of(() => ({ top: PADDING, bottom: PADDING })),
  EditorView.contentAttributes.of({ "aria-label": "Text", tabindex: "0" }),
  // Dropped files are the page's.
  EditorView.domEventHandlers({ drop: ({ dataTransfer }) => dataTransfer?.types.includes("Files") }),
  directions,
  marked,
  marks,
  look,
];

export class LongText {
  #view: EditorView;
  #text: string;

  constructor(host: HTMLElement, text: string, onChange: (text: string) => void) {
    this.#text = text;
    const told = EditorView.updateListener.of(({ docChanged, changes }) => {
      if (docChanged) onChange((this.#text = changed(this.#text, changes)));
    });
    // In a shadow tree its styles are a sheet that is adopted: the page's policy allows no style elements.
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.#view = new EditorView({ state: EditorState.create({ doc: text, extensions: [EXTENSIONS, told] }), parent: root, root });
  }

  focus(): void {
    this.#view.focus();
  }

  select(start: number, end: number): void {
    this.#view.dispatch({ selection: { anchor: start, head: end }, effects: EditorView.scrollIntoView(start, { y: "center" }) });
    this.focus();
  }

  /** None if it is empty. */
  mark(from: number, to: number, reveal: boolean): void {
    const goThere = reveal && from < to ? [EditorView.scrollIntoView(from, { y: "nearest", yMargin: 2 * PADDING })] : [];
    this.#view.dispatch({ effects: [mark.of({ from, to }), ...goThere] });
  }

  /** Makes it another text, as one step that can be undone. */
  write(text: string, caret: number): void {
    const { start, end, text: insert } = editBetween(this.#text, text);
    this.#view.dispatch({ changes: { from: start, to: end, insert }, selection: { anchor: caret }, scrollIntoView: true });
  }

  close(): void {
    this.#view.destroy();
  }
}

/** Nothing reads the whole text: that would take longer than all else on a key. */
function changed(before: string, changes: ChangeSet): string {
  let after = "";
  let at = 0;
  changes.iterChanges((from, to, _start, _end, inserted) => {
    after += before.slice(at, from) + inserted.toString();
    at = to;
  });
  return after + before.slice(at);
}

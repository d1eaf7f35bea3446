/** What a vocabulary is like, in a dialog: asked for when it is opened, and kept. */

import type { Inspection, Tokenizer } from "bpeek";
import { dialog } from "./dialog.js";
import { element, isolated } from "./elements.js";
import { sentence, spelled, whole } from "./format.js";
import { byId } from "./page.js";
import { displayName } from "./shelf.js";

const MOST_ROWS = 60;
const MOST_IDS = 20;
const MOST_TEXT = 80;

export class Inspector {
  #dialog = dialog("inspection");
  #body = byId("inspection-body");
  #known = new WeakMap<Tokenizer, Inspection>();
  #shown: Tokenizer | undefined;
  #asking = false;

  /** `stop` ends what the engine is at. */
  constructor(stop: () => void) {
    this.#dialog.addEventListener("close", () => this.#asking && stop());
  }

  async open(tokenizer: Tokenizer): Promise<void> {
    this.#shown = tokenizer;
    byId("inspection-title").textContent = `The vocabulary of ${displayName(tokenizer.info)}`;
    this.#tell(`Looking at each of ${whole(tokenizer.info.vocab_size)} tokens, and encoding it. This takes some seconds; to close this stops it.`);
    this.#body.append(element("progress", ""));
    this.#dialog.showModal();
    try {
      this.#asking = true;
      const found = this.#known.get(tokenizer) ?? (await tokenizer.inspect());
      this.#known.set(tokenizer, found);
      if (this.#shown === tokenizer) this.#draw(found);
    } catch (error) {
      if (this.#shown === tokenizer) this.#tell(sentence(error));
    } finally {
      this.#asking = false;
    }
  }

  #tell(message: string): void {
    const note = element("p", "", message);
    note.role = "status";
    this.#body.replaceChildren(note);
  }

  #draw(found: Inspection): void {
    this.#body.replaceChildren(facts(inWords(found)), ...tables(found));
  }
}

/** The short findings: a name, and a sentence. */
export function inWords(found: Inspection): [string, string][] {
  const { rules, lookahead, witness } = found;
  const kind = rules.implied ? "follow from the vocabulary" : "are listed";
  const twice = rules.twice > 0 ? ` ${whole(rules.twice)} are listed twice.` : "";
  const lines: [string, string][] = [
    ["Tokens", `${whole(found.vocab_size)}, ${whole(found.added_tokens)} of them added beside the merges.`],
    ["Rules", `${whole(rules.count)} ${kind}; ${whole(rules.useful)} are ever of use.${twice}`],
    ["Dictionary", rules.useful_proper
      ? "Proper: each part of a rule is made before the rule needs it."
      : rules.ranks_are_shared
        ? "Not proper: some tokens share a score, so that the rules have no order."
        : `Not proper: ${whole(rules.improper_uses.length)} parts are made later than a rule needs them.`],
    ["Two semantics", witness
      ? `SentencePiece and Hugging Face read “${clipped(witness.text)}” differently: ${joined(witness.sentencepiece)} and ${joined(witness.hugging_face)}.`
      : found.same_semantics
        ? "SentencePiece’s and Hugging Face’s give the same tokens for every text: proved."
        : `No difference between SentencePiece’s and Hugging Face’s in ${whole(found.texts_compared)} texts.`],
    ["Lookahead", lookahead.chain_bound === undefined
      ? `No bound holds for it; the longest token has ${whole(lookahead.longest)} ${lookahead.unit}.`
      : `What follows changes at most the last ${whole(lookahead.chain_bound)} ${lookahead.unit} of a piece (the paper’s bound is ${whole(lookahead.paper_bound!)}); the longest token has ${whole(lookahead.longest)}.`],
    ["Parts of characters", found.partial.length === 0 ? "None." : `${whole(found.partial.length)} tokens are no text by themselves: ${some(found.partial)}.`],
  ];
  if (found.only_whole.length > 0) {
    lines.push(["Only as whole pieces", `${whole(found.only_whole.length)} tokens are looked up but never made by merging: ${some(found.only_whole)}.`]);
  }
  return lines;
}

function* tables(found: Inspection): Iterable<Node> {
  const never = found.unreachable.map(({ id, token, reason, detail, proved, ids }) => [
    String(id), clipped(token), proved ? reason : `${reason} (not proved)`, detail ? clipped(detail) : "", some(ids),
  ]);
  yield* table("Tokens that no text gives", ["Id", "Token", "Why", "More", "Its own text gives"], never);
  const inContext = found.only_in_context.map(([id, text]) => [String(id), clipped(text)]);
  yield* table("Tokens that need other text around them", ["Id", "Given by"], inContext);
  yield* table("Tokens of the same bytes", ["Ids"], found.same_bytes.map((ids) => [ids.join(", ")]));
  yield* table("Spellings with the same id", ["Spellings"], found.same_id.map((names) => [joined(names)]));
  yield* table("Longest tokens", ["Id", "Token", "Bytes"], found.longest.map(([id, token, size]) => [String(id), clipped(token), whole(size)]));
  const patterns = found.patterns.map(({ step, source, covers, alternatives }) => [
    step, spelled(source), String(alternatives), covers ? "all text" : "may leave some out",
  ]);
  yield* table("Patterns that cut text", ["Step", "Pattern", "Alternatives", "Covers"], patterns);
}

function facts(lines: [string, string][]): HTMLElement {
  const rows = lines.map(([name, words]) => element("div", "", element("dt", "", name), element("dd", "", words)));
  return element("dl", "", ...rows);
}

/** With as many rows as one may read, and the columns that say something; nothing at all if there are none. */
function* table(caption: string, names: string[], entries: string[][]): Iterable<Node> {
  if (entries.length === 0) return;
  const used = names.flatMap((_, i) => (entries.some((entry) => entry[i] !== "") ? [i] : []));
  const heads = used.map((i) => names[i]!);
  const rows = entries.map((entry) => used.map((i) => entry[i]!));
  const made = element("table", "");
  const title = made.createCaption();
  title.append(element("h3", "", caption), element("span", "", whole(rows.length)));
  const head = made.createTHead().insertRow();
  for (const name of heads) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = made.createTBody();
  for (const row of rows.slice(0, MOST_ROWS)) {
    const line = body.insertRow();
    for (const [i, text] of row.entries()) {
      const cell = line.insertCell();
      cell.dataset.head = heads[i]!;
      if (text !== "") cell.append(isolated("", text));
    }
  }
  yield made;
  if (rows.length > MOST_ROWS) yield element("p", "", `… and ${whole(rows.length - MOST_ROWS)} more`);
}

function some(ids: number[]): string {
  const more = ids.length - MOST_IDS;
  return ids.slice(0, MOST_IDS).join(", ") + (more > 0 ? ` and ${whole(more)} more` : "");
}

const joined = (texts: string[]): string => texts.map((text) => `“${clipped(text)}”`).join(" ");

/** One character again and again is told with its number: of a hundred blanks one sees nothing. */
export function clipped(text: string): string {
  const [, one, more] = /^(.)(\1{3,})$/su.exec(text) ?? [];
  if (one !== undefined) return `${one === " " ? "␣" : spelled(one)}×${whole([...more!].length + 1)}`;
  return spelled(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);
}

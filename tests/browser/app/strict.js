// Under a strict policy, isolated, in a shadow root, with worker and assets in folders of their own.
const { createEngine, SpecialTokenError } = await import("./bpeek/index.js");
const { TokenView } = await import("./bpeek/token-view.js");

const workerURL = trustedTypes.createPolicy("ours", { createScriptURL: (url) => url }).createScriptURL("worker/worker.js");
const engine = await createEngine({ workerURL, assetsURL: "assets", workers: 2 });
const tokenizer = await engine.load("cl100k_base.tiktoken");
const collect = async (stream) => {
  const found = [];
  for await (const chunk of stream) found.push(...chunk);
  return found;
};
const streamOf = (chunks) => new ReadableStream({
  start(controller) {
    for (const chunk of chunks) controller.enqueue(chunk);
    controller.close();
  },
});
const ids = await collect(streamOf(["Hello \ud83e", "\udd9c", "!"]).pipeThrough(tokenizer.encoderStream()));
const text = await collect(streamOf(ids).pipeThrough(tokenizer.decoderStream()));
const refused = await tokenizer.encode("<|endoftext|>").catch((error) => error);
const texts = Array.from({ length: 8 }, (_, i) => `${i}, and many a word. `.repeat(500));
const counts = (await tokenizer.encodeBatch(texts)).map(({ length }) => length);
const alone = await Promise.all(texts.map((text) => tokenizer.count(text)));

class Card extends HTMLElement {
  view = new TokenView();
  constructor() {
    super();
    this.attachShadow({ mode: "open" }).append(this.view);
  }
}
TokenView.define("my-tokens");
customElements.define("my-card", Card);
const card = new Card();
document.body.append(card);
card.view.encoding = await tokenizer.encode("Hello 🦜!");

const [hello] = card.view.shadowRoot.querySelectorAll("[data-index='0']");
const requests = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
document.querySelector("output").textContent = JSON.stringify({
  ids,
  text: text.join(""),
  refused: refused instanceof SpecialTokenError && refused.token,
  same: counts.join() === alone.join(),
  workers: requests.filter(({ pathname }) => pathname.endsWith("/worker/worker.js")).length,
  drawn: card.view.shadowRoot.textContent,
  coloured: getComputedStyle(hello).backgroundColor,
  isolated: crossOriginIsolated,
  elsewhere: requests.filter(({ origin }) => origin !== location.origin).length,
});
await engine.terminate();

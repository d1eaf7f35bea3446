/**
 * The front end of `TokenView`: a text field, and what the kernel drew of it. All text in that is escaped.
 * One text at a time is on its way to the kernel; what is typed meanwhile waits, and only the latest is sent.
 */
const PAUSE = 1000; // milliseconds of quiet before a screen reader is told the counts

function render({ model, el }) {
  const field = document.createElement("textarea");
  field.spellcheck = false;
  field.rows = 3;
  field.value = model.get("text");
  const label = document.createElement("label");
  label.append("Text", field);
  const shown = document.createElement("div");
  const status = document.createElement("p");
  status.className = "bp-unseen";
  status.role = "status";
  const card = document.createElement("div");
  card.className = "bpeek bp-live";
  card.append(label, shown, status);
  el.append(card);

  let waiting = false;
  let timer;

  function send() {
    if (waiting || field.value === model.get("text")) return;
    waiting = true;
    model.set("text", field.value);
    model.save_changes();
    shown.setAttribute("aria-busy", "true");
  }

  function draw() {
    const open = shown.querySelector("details")?.open;
    shown.innerHTML = model.get("_drawn").html ?? "";
    const details = shown.querySelector("details");
    if (details && open) details.open = true;
    shown.removeAttribute("aria-busy");
    waiting = false;
    send();
  }

  function tell() {
    clearTimeout(timer);
    timer = setTimeout(() => (status.textContent = shown.querySelector(".bp-facts")?.textContent ?? ""), PAUSE);
  }

  function take() {
    if (!waiting) field.value = model.get("text");
  }

  field.addEventListener("input", send);
  model.on("change:_drawn", draw);
  model.on("change:_drawn", tell);
  model.on("change:text", take);
  draw();
  return () => {
    clearTimeout(timer);
    model.off("change:_drawn", draw);
    model.off("change:_drawn", tell);
    model.off("change:text", take);
  };
}

export default { render };

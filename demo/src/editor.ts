/** The text field, and what a long text needs of it. */

/** From so many units on, paragraphs no longer choose their own direction: Chromium lays a long line out 40 times faster without. */
const LONG = 100_000;

/** Before the browser lays the text out, wherever it can be known. */
export function fitToLength(field: HTMLTextAreaElement): void {
  const fit = (length: number) => field.classList.toggle("long", length > LONG);
  field.addEventListener("beforeinput", ({ data, dataTransfer }) => {
    fit(field.value.length + (data ?? dataTransfer?.getData("text/plain") ?? "").length);
  });
  field.addEventListener("input", () => fit(field.value.length));
}

/** As if it had been typed. */
export function write(field: HTMLTextAreaElement, text: string): void {
  field.classList.toggle("long", text.length > LONG);
  field.value = text;
  field.setSelectionRange(0, 0);
  field.dispatchEvent(new InputEvent("input"));
}

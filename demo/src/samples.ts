/** Texts to look at first. */

export const SAMPLES: Record<string, string> = {
  "A bit of everything": `Tokenizers read text in pieces: unbelievable → un·believ·able.

Every emoji costs something: 🙂 🦜 👩‍🚀, and 𝔘nicode letters do too.
日本語も、中文也，한국어도, русский и العربية.

def greet(name: str) -> str:
    return f"Hello, {name}!"  # 4 spaces

1234567890  3.14159\t<|endoftext|>`,
  "Code": `async function* lines(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split(/\\r?\\n/);
        rest = parts.pop() ?? "";
        yield* parts;
    }
    if (rest !== "") yield rest;
}
`,
  "Languages": `English: The quick brown fox jumps over the lazy dog.
Deutsch: Donaudampfschifffahrtsgesellschaft
Français : l’été, où êtes-vous ?
Türkçe: Muvaffakiyetsizleştiricileştiriveremeyebileceklerimizdenmişsinizcesine
Ελληνικά: Ξεσκεπάζω την ψυχοφθόρα βδελυγμία
Русский: Съешь же ещё этих мягких французских булок
中文：我能吞下玻璃而不伤身体。
日本語：いろはにほへと ちりぬるを
한국어: 다람쥐 헌 쳇바퀴에 타고파
हिन्दी: ऋषियों को सताने वाले दुष्ट
ไทย: เป็นมนุษย์สุดประเสริฐเลิศคุณค่า
`,
  "Right to left": `العربية: أبجد هوز حطي كلمن
עברית: דג סקרן שט בים מאוכזב
Mixed: the word שלום means “peace”, and سلام too (12:34).
`,
  "Emoji": `🙂🙃 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇭 1️⃣ é (e + ◌́) 𝒳 𠮷 ẅ̤̂
`,
  "White space": `key:
  nested:
    - item\t# tab before this

    - trailing   
      deep:   |
          eight spaces and more          
\u00a0no-break\u2003em\u200bzero-width
`,
  "Special tokens": `<|im_start|>user
Is <|endoftext|> special, or only text?<|im_end|>
< |endoftext| > and <|endoftext> are not.
`,
};

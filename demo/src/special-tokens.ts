/** Special tokens as people write them: a token, a space and its id on each line. */

/** The tokens with their ids, or the first line that is not one. */
export function parseSpecialTokens(text: string): Map<string, number> | string {
  const tokens = new Map<string, number>();
  for (const line of text.split("\n").filter((line) => line.trim() !== "")) {
    const [, token, id] = /^(.+?)\s+(\d+)\s*$/.exec(line) ?? [];
    if (token === undefined) return line;
    tokens.set(token, Number(id));
  }
  return tokens;
}

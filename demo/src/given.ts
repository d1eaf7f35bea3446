/** Vocabularies that `bpeek serve FILE…` offers beside the page: the link that it opens names them. */

import { escaped } from "./format.js";

/** The files of a fragment such as `#open=0/vocab.json&open=1/merges.txt`; only ones from beside the page. */
export async function givenFiles(fragment: string, base: string): Promise<File[]> {
  const paths = new URLSearchParams(fragment.replace(/^#/, "")).getAll("open");
  return Promise.all(
    paths.map(async (path) => {
      const [, number, name] = /^(\d+)\/([^/\\]+)$/.exec(path) ?? [];
      if (number === undefined || name === undefined) throw new Error("This link is damaged");
      const response = await fetch(new URL(`given/${number}/${encodeURIComponent(name)}`, base));
      if (!response.ok) throw new Error(`${escaped(name)}: \`bpeek serve\` no longer offers it; start it again`);
      return new File([await response.blob()], name);
    }),
  );
}

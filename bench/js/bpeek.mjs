/** Python with bpeek in it, imported out of its wheel, as the npm package does it. */
export function withBpeek(python, wheel) {
  python.FS.writeFile("/bpeek.whl", new Uint8Array(wheel));
  python.runPython("import sys; sys.path.append('/bpeek.whl'); import bpeek");
  return python;
}

/** bpeek in Pyodide; `kernel` is what BPEEK_KERNEL is set to. */
export function bpeek(python, data, file, kernel) {
  const engine = python.runPython(BPEEK)(data, file, kernel);
  const call = (name) => {
    const method = engine.get(name);
    return (text) => {
      const result = method(text);
      const columns = result.toJs();
      result.destroy();
      return columns;
    };
  };
  return { ids: call("ids"), forget: engine.get("forget"), offsets: call("encode") };
}

// The public API, and as few crossings as a program would make: text in, one typed array out.
const BPEEK = `
def load(data, name, kernel):
    import os
    from array import array
    import bpeek
    from bpeek import formats
    spec = formats.parse(data.to_bytes(), name)
    tokenizer = None
    def forget():
        nonlocal tokenizer
        os.environ["BPEEK_KERNEL"] = kernel
        tokenizer = bpeek.Tokenizer(spec)
    def ids(text):
        return tokenizer.encode_to_array(text)
    def encode(text):
        encoding = tokenizer.encode(text, add_special_tokens=False)
        columns = array("I", encoding.ids)
        for column in encoding.utf16_columns():
            if isinstance(column, array):
                columns += column
            else:
                columns.fromlist([*column])
        return columns
    forget()
    return {"ids": ids, "encode": encode, "forget": forget}
load
`;

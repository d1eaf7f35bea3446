// Milliseconds, and where ids leave the reference.
export function timed(call, text) {
  const start = performance.now();
  const ids = call(text);
  return [performance.now() - start, ids];
}

export function difference(ids, expected) {
  if (ids.length === expected.length && expected.every((id, i) => ids[i] === id)) return null;
  const at = expected.findIndex((id, i) => ids[i] !== id);
  return `ids differ from the reference at token ${at < 0 ? expected.length : at} of ${expected.length}`;
}

// Verifies ids, then takes times, as bench/native.py does; the same in Node and in a page's worker.
import { difference, timed } from "./clock.mjs";
import { MAKERS } from "./engines.mjs";

const PATIENCE = 2500; // ms of one engine on one text, after which it sits out further rounds
const BEFORE = 50_000; // characters that come before what is not seen, at least: a short first half again and again
const SLOW = 800; // ms that a half may take; slower engines get the slice

/** Milliseconds for the second half of a text: with an empty cache, after the first half, and once again. */
function oneRound({ ids, forget }, first, second) {
  if (!forget) {
    const [ms] = timed(ids, second);
    return { cold: ms, unseen: ms, warm: ms };
  }
  forget();
  const [cold] = timed(ids, second);
  forget();
  for (let done = 0; done < BEFORE; done += first.length || BEFORE) ids(first);
  const [unseen] = timed(ids, second);
  const [warm] = timed(ids, second);
  return { cold, unseen, warm };
}

/** Checks the slice, sees from it how much text this engine can have, and checks that too. */
function verified(engine, text, expected) {
  let [ms, ids] = timed(engine.ids, text.slice);
  let error = difference(ids, expected.slice.ids);
  if (error) return { error };
  if (text.slice.length < text.second.length) [ms] = timed(engine.ids, text.slice);
  const part = ms * (text.second.length / text.slice.length) > SLOW ? "slice" : "second";
  if (part === "second") error = difference(engine.ids(text.second), expected.second.ids);
  return { error, part };
}

function lap(engines, text, expected, rounds) {
  const rows = engines.map((engine) => ({ engine, seconds: { cold: [], unseen: [], warm: [] }, used: 0, ...verified(engine, text, expected) }));
  for (let round = 0; round < rounds; round++) {
    for (const row of round % 2 ? [...rows].reverse() : rows) {
      if (row.error || row.used > PATIENCE) continue;
      // An engine that gets the slice has no warm-up on the whole first half either.
      const first = row.part === "slice" ? text.first.slice(0, text.slice.length) : text.first;
      const times = oneRound(row.engine, first, text[row.part]);
      for (const [mode, ms] of Object.entries(times)) row.seconds[mode].push(ms / 1000);
      row.used += times.cold + times.unseen + times.warm;
    }
  }
  return rows.map(({ engine, seconds, error, part }) => ({
    engine: engine.name,
    bytes: expected[part ?? "slice"].bytes,
    part,
    error,
    seconds: error ? {} : seconds,
  }));
}

async function make(vocabulary, env) {
  const engines = [];
  const missing = [];
  for (const [name, maker] of Object.entries(MAKERS)) {
    try {
      const start = performance.now();
      const engine = await maker(vocabulary, env);
      engine?.ids("The first text of all.");
      if (!engine) continue;
      engines.push({ name, load: performance.now() - start, ...engine });
      if (engine.offsets) engines.push({ name: `${name} + UTF-16 offsets`, ids: idsOf(engine.offsets), forget: engine.forget });
    } catch (error) {
      missing.push({ vocabulary: vocabulary.name, engine: name, error: String(error.message ?? error).trim().split("\n").at(-1) });
    }
  }
  return { engines, missing };
}

/** Columns come one after the other; ids are the first third. */
function idsOf(offsets) {
  return (text) => {
    const columns = offsets(text);
    return columns.subarray(0, columns.length / 3);
  };
}

export async function run({ vocabularies, texts, rounds }, env, say) {
  const rows = [];
  const loads = [];
  const missing = [];
  await env.python(); // its start is measured elsewhere
  for (const vocabulary of vocabularies) {
    const made = await make(vocabulary, env);
    missing.push(...made.missing);
    for (const { name, load } of made.engines) if (load) loads.push({ vocabulary: vocabulary.name, engine: name, seconds: load / 1000 });
    for (const name of texts) {
      say(`${vocabulary.name} ${name}`);
      const text = await env.json(`text-${name}.json`);
      const expected = await env.json(`ids-${vocabulary.name}-${name}.json`);
      for (const row of lap(made.engines, text, expected, rounds)) rows.push({ vocabulary: vocabulary.name, text: name, ...row });
    }
  }
  return { rows, loads, missing };
}

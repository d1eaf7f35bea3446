/** What callers pass, checked where it comes in: typed arrays would make some other number of what is no id. */

import { UnknownTokenError } from "./errors.js";

/** A copy. `TypeError` for what is no whole number, `UnknownTokenError` for one that no id can be. */
export function asIds(ids: Iterable<number>): Uint32Array {
  if (Object(ids) !== ids || !(Symbol.iterator in ids)) throw new TypeError(`ids must be a list or another iterable, not ${shown(ids)}`);
  return ids instanceof Uint32Array ? ids.slice() : Uint32Array.from(ids, asId);
}

export function asId(id: number): number {
  if (!Number.isInteger(id)) throw new TypeError(`an id must be a whole number, not ${shown(id)}`);
  if (id >>> 0 === id) return id;
  throw Object.assign(new UnknownTokenError(`${id} is no id: ids are from 0 to ${2 ** 32 - 1}`), { token: id });
}

const shown = (value: unknown): string => (typeof value === "number" ? String(value) : value === null ? "null" : typeof value);

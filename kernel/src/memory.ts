// Memory is one stack: tables of the vocabulary at the bottom, what a call needs above them. Nothing is freed but from
// the top, so that a call which ends early leaves nothing behind.

const SPARE: u64 = 64; // words are loaded whole, so that reading ends up to 7 bytes behind what is meant
let top: usize = (__heap_base + 15) & ~15;

/** Room for `size` bytes, aligned to 16; 0 if there is none. */
export function alloc(size: u32): usize {
  const end = <u64>top + size + SPARE;
  const pages = <i32>((end + 0xffff) >>> 16) - memory.size();
  if (end > 0xffff0000 || (pages > 0 && memory.grow(pages) < 0)) return 0;
  const at = top;
  top = (top + size + 15) & ~15;
  return at;
}

export function mark(): usize {
  return top;
}

export function release(at: usize): void {
  top = at;
}

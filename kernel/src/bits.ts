// Sets of hashes, a bit each, that answer most questions with no before a table is asked.

// @ts-ignore: decorator
@inline export function setBit(set: usize, bit: u32): void {
  store<u8>(set + (bit >>> 3), load<u8>(set + (bit >>> 3)) | <u8>((<u32>1) << (bit & 7)));
}

// @ts-ignore: decorator
@inline export function hasBit(set: usize, bit: u32): bool {
  return ((<u32>load<u8>(set + (bit >>> 3)) >>> (bit & 7)) & 1) != 0;
}

// What the host calls. Python compiles a tokenizer into tables, writes them here, and calls `encode`.
export { alloc, mark, release } from "./memory";
export { bytesOfAlphabet, enterTokens, reserveTokens, seed, setLengths } from "./tokens";
export { enterMerges, enterPairs, enterSplits, reservePairs } from "./pairs";
export { hasMissed, startBytes, startCharacters } from "./pieces";
export { addAutomaton } from "./automata";
export { consumed, encode } from "./encode";
export { follow, spans } from "./spans";

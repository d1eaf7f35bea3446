// What the host calls. Python compiles a tokenizer into tables, writes them here, and calls `encode`.
export { alloc, mark, release } from "./memory";
export { seed } from "./table";
export { enterMerges, enterTokens, reserveMerges, reserveTokens, setLengths, spellBytes } from "./tokens";
export { startPieces } from "./pieces";
export { addAutomaton } from "./automata";
export { consumed, encode } from "./encode";
export { follow, spans } from "./spans";

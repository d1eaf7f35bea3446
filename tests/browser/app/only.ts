import { createEngine } from "bpeek";
console.log(await createEngine());

import { parentPort } from "node:worker_threads";
import "./node_modules/bpeek/dist/worker-node.js";

parentPort.on("message", ({ args }) => {
  if (args?.[1] === "die") process.exit(3); // ends the thread
});

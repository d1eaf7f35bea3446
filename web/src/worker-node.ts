/** The worker thread of Node. */

import { parentPort } from "node:worker_threads";
import { boot } from "./boot-node.js";
import { serve, type Port } from "./serve.js";

serve(parentPort as unknown as Port, boot);

/** The worker of a browser. */

import { boot } from "./boot.js";
import { serve, type Port } from "./serve.js";

serve(self as unknown as Port, boot);

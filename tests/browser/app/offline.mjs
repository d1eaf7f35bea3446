// No connection is made, in worker threads neither.
import { Socket } from "node:net";
Socket.prototype.connect = () => process.exit(9);

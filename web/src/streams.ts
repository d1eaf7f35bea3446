/** Text to ids and back while it comes, in bounded memory: what goes out is certain, whatever comes next. */

import { asIds, asText } from "./arguments.js";
import type { Connection } from "./connection.js";
import type { Home } from "./document.js";
import { isHigh } from "./encoding.js";
import { WorkerError } from "./errors.js";
import type { Policy } from "./protocol.js";

/** Text in chunks that may end anywhere, to the ids of the whole. */
export function encoderStream(home: Home, policy: Policy): TransformStream<string, Uint32Array> {
  let half = ""; // of a surrogate pair
  return stream(home, (connection, handle) => connection.call("encoder", [handle, policy]), {
    read(text: string) {
      const all = half + asText(text);
      half = isHigh(all.charCodeAt(all.length - 1)) ? all.slice(-1) : "";
      return half ? all.slice(0, -1) : all;
    },
    rest: () => half,
  });
}

/** Ids, one or some at a time, to the text of them all; never a part of a character. */
export function decoderStream(home: Home, skipSpecialTokens: boolean): TransformStream<number | Iterable<number>, string> {
  return stream(home, (connection, handle) => connection.call("decoder", [handle, skipSpecialTokens]), {
    read: (ids: number | Iterable<number>) => asIds(typeof ids === "object" ? ids : [ids]),
    rest: () => new Uint32Array(),
  });
}

interface Input<In, Chunk> {
  read(input: In): Chunk;
  rest(): Chunk;
}

function stream<In, Chunk extends string | Uint32Array, Out extends string | Uint32Array>(
  home: Home,
  open: (connection: Connection, handle: number) => Promise<number>,
  input: Input<In, Chunk>,
): TransformStream<In, Out> {
  let opened: { connection: Connection; number: number };
  const send = async (chunk: Chunk, last: boolean, controller: TransformStreamDefaultController<Out>) => {
    const { connection, number } = opened;
    // What it had read is gone with its worker; a new one would go on in the middle.
    if (connection.dead) throw new WorkerError("The worker died: the stream must begin again");
    const found = (await connection.call("feed", [number, chunk, last])) as Out;
    if (found.length > 0) controller.enqueue(found);
  };
  return new TransformStream<In, Out>({
    async start() {
      const { connection, handle } = await home.reach();
      opened = { connection, number: await open(connection, handle) };
    },
    transform: (chunk, controller) => send(input.read(chunk), false, controller),
    flush: (controller) => send(input.rest(), true, controller),
  });
}

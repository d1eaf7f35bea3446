/** One living worker: a queue of calls, one in flight, and the certainty that every promise is settled. */

import { revive, WorkerError } from "./errors.js";
import type { Arguments, FromWorker, Method, Progress, Result, ToWorker } from "./protocol.js";

/** The part of `Worker` that is used; tests pass their own. */
export interface WorkerLike {
  postMessage(message: ToWorker, transfer: Transferable[]): void;
  addEventListener(type: "message" | "error" | "messageerror", listener: (event: any) => void): void;
  terminate(): void;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  transfer?: Transferable[];
}

interface Job {
  method: Method;
  args: unknown[];
  transfer: Transferable[];
  resolve(value: never): void;
  reject(reason: unknown): void;
}

export class Connection {
  /** Settles when the engine can answer, or could not start. */
  readonly ready: Promise<void>;
  #worker: WorkerLike;
  #report: (progress: Progress) => void;
  #queue: Job[] = [];
  // Only one call is in the worker, so that an aborted call that waits here never reaches it.
  #running: Job | undefined;
  #calls = 0;
  #death: Error | undefined;
  #becomeReady!: () => void;
  #failToStart!: (reason: Error) => void;

  constructor(worker: WorkerLike, assets: string | undefined, report: (progress: Progress) => void) {
    this.#worker = worker;
    this.#report = report;
    this.ready = new Promise((resolve, reject) => {
      this.#becomeReady = resolve;
      this.#failToStart = reject;
    });
    this.ready.catch(() => {}); // a caller that does not wait for it is told by its own call
    worker.addEventListener("message", (event: MessageEvent<FromWorker>) => this.#receive(event.data));
    worker.addEventListener("error", (event: ErrorEvent) => {
      this.close(new WorkerError(`The worker stopped: ${event.message || "its script could not be loaded"}`));
    });
    worker.addEventListener("messageerror", () => this.close(new WorkerError("The worker sent what cannot be read")));
    worker.postMessage({ type: "start", assets }, []);
  }

  get dead(): boolean {
    return this.#death !== undefined;
  }

  call<M extends Method>(method: M, args: Arguments<M>, options: CallOptions = {}): Promise<Result<M>> {
    const { signal, transfer = [] } = options;
    return new Promise((resolve, reject) => {
      if (this.#death) return reject(this.#death);
      if (signal?.aborted) return reject(signal.reason);
      const job: Job = { method, args, transfer, resolve, reject };
      signal?.addEventListener("abort", () => this.#abandon(job, signal.reason), { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  /** Ends the worker; whatever waits is rejected with `reason`. */
  close(reason: Error): void {
    if (this.#death) return;
    this.#death = reason;
    this.#worker.terminate();
    this.#failToStart(reason);
    for (const job of [this.#running, ...this.#queue]) job?.reject(reason);
    this.#running = undefined;
    this.#queue = [];
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#queue.shift();
    if (!job) return;
    this.#running = job;
    const { method, args, transfer } = job;
    try {
      this.#worker.postMessage({ type: "call", id: ++this.#calls, method, args }, transfer);
    } catch (error) {
      this.#settle(() => job.reject(error)); // an argument that cannot be cloned
    }
  }

  #receive(message: FromWorker): void {
    if (this.#death) return;
    if (message.type === "progress") {
      const { phase, loaded, total } = message;
      if (phase === "ready") this.#becomeReady();
      this.#report({ phase, loaded, total });
    } else if (message.type === "failed") {
      this.close(new WorkerError(message.error.message));
    } else if (message.type === "result") {
      this.#settle((job) => job.resolve(message.value as never));
    } else {
      this.#settle((job) => job.reject(revive(message.error)));
    }
  }

  #settle(how: (job: Job) => void): void {
    const job = this.#running;
    this.#running = undefined;
    if (job) how(job);
    this.#next();
  }

  /** The caller is told at once; a call that Python has begun runs on, and its answer falls on the floor. */
  #abandon(job: Job, reason: unknown): void {
    this.#queue = this.#queue.filter((waiting) => waiting !== job);
    job.reject(reason);
  }
}

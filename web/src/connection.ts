/** One living worker: a queue of calls, one in flight, and the certainty that every promise is settled. */

import { revive, WorkerError } from "./errors.js";
import { locks } from "./host.js";
import type { Arguments, FromWorker, Method, Progress, Result, ToWorker } from "./protocol.js";

/** The part of `Worker` that is used; tests pass their own. */
export interface WorkerLike {
  postMessage(message: ToWorker, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message" | "error" | "messageerror", listener: (event: any) => void): void;
  terminate(): unknown;
}

export interface CallOptions<R> {
  signal?: AbortSignal | undefined;
  /** What is done with an answer that comes after an abort. */
  tooLate?: (value: R) => void;
}

interface Job {
  method: Method;
  args: unknown[] | (() => Promise<unknown[]>);
  wanted: boolean;
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
  #life: string | undefined;
  #isReady = false;
  #death: Error | undefined;
  #becomeReady!: () => void;
  #failToStart!: (reason: Error) => void;

  constructor(worker: WorkerLike, assets: string | undefined, keep: boolean, report: (progress: Progress) => void) {
    this.#worker = worker;
    this.#report = report;
    this.ready = new Promise((resolve, reject) => {
      this.#becomeReady = resolve;
      this.#failToStart = reject;
    });
    this.ready.catch(() => {}); // a caller that does not wait for it is told by its own call
    worker.addEventListener("message", (event: MessageEvent<FromWorker>) => this.#receive(event.data));
    worker.addEventListener("error", (event: ErrorEvent) => this.#die(`The worker stopped: ${event.message || "its script could not be loaded"}`));
    worker.addEventListener("messageerror", () => this.#die("The worker sent what cannot be read"));
    this.#life = locks() && `bpeek ${crypto.randomUUID()}`;
    worker.postMessage({ type: "start", assets, keep, life: this.#life }, []);
  }

  get dead(): boolean {
    return this.#death !== undefined;
  }

  /** How many calls it has to answer. */
  get busy(): number {
    return this.#queue.length + (this.#running ? 1 : 0);
  }

  /** Calls are made in order; `args`, if a function, is asked for them when it is this one's turn. */
  call<M extends Method>(
    method: M,
    args: Arguments<M> | (() => Promise<Arguments<M>>),
    { signal, tooLate = () => {} }: CallOptions<Result<M>> = {},
  ): Promise<Result<M>> {
    if (this.#death) return Promise.reject(this.#death);
    if (signal?.aborted) return Promise.reject(signal.reason);
    let job!: Job;
    const answer = new Promise<Result<M>>((resolve, reject) => {
      job = { method, args, wanted: true, resolve, reject };
    });
    this.#queue.push(job);
    void this.#next();
    return unlessAborted(answer, signal, () => {
      job.wanted = false;
      this.#queue = this.#queue.filter(({ wanted }) => wanted);
      answer.then(tooLate, () => {});
    });
  }

  /** Ends the worker; whatever waits is rejected with `reason`. Gives what the worker's `terminate` gives. */
  close(reason: Error): unknown {
    if (this.#death) return undefined;
    this.#death = reason;
    const end = this.#worker.terminate();
    this.#failToStart(reason);
    for (const job of [this.#running, ...this.#queue]) job?.reject(reason);
    this.#running = undefined;
    this.#queue = [];
    return end;
  }

  #die(why: string): void {
    const what = "Call again: another worker starts, and reads the vocabulary anew. If that one dies as well, give it less at a time.";
    this.close(this.#isReady ? new WorkerError(`${why.replace(/\.$/, "")}. ${what}`) : new WorkerError(why, "start"));
  }

  async #next(): Promise<void> {
    if (this.#running) return;
    const job = this.#queue.shift();
    if (!job) return;
    this.#running = job;
    try {
      const args = typeof job.args === "function" ? await job.args() : job.args;
      if (this.#running !== job) return; // it died meanwhile
      if (!job.wanted) return this.#settle(() => {});
      const files = args.flat().filter((each) => each instanceof ArrayBuffer); // moved, not copied
      this.#worker.postMessage({ type: "call", id: ++this.#calls, method: job.method, args }, files);
    } catch (error) {
      this.#settle(() => job.reject(error)); // an argument that cannot be had, or cloned
    }
  }

  #receive(message: FromWorker): void {
    if (this.#death) return;
    if (message.type === "progress") {
      const { phase, loaded, total } = message;
      if (phase === "ready") this.#becomeReady();
      this.#isReady ||= phase === "ready";
      this.#report({ phase, loaded, total });
    } else if (message.type === "alive") {
      // Nothing tells of a worker that a script or the browser itself ends: only its lock is free then.
      void locks()!.request(this.#life!, () => this.#die("The worker was ended from outside, or the browser had no memory left for it"));
    } else if (message.type === "failed") {
      this.#die(message.error.message);
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
    void this.#next();
  }
}

/** Rejects as soon as `signal` is aborted; what Python has begun runs on. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, onAbort = () => {}): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      onAbort();
    };
    const settled = () => signal.removeEventListener("abort", abort); // or a signal of many calls would hold them all
    promise.then(resolve, reject).finally(settled);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

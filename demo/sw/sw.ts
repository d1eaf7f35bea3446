/**
 * The service worker: keeps the page, so that it opens without a network.
 *
 * Files are kept by address and sum, so builds share what did not change and never get each other's files. The page
 * itself comes from the network while there is one: an update shows at the next visit. What is kept is always a whole
 * build, and gives way to the next one when no page of it is open.
 */

/** Sums of this build's files by address; `tools/site.mjs` puts both in front. Vocabularies are kept once they are used. */
declare const PAGE: Record<string, string>;
declare const VOCABULARIES: Record<string, string>;

const worker = self as unknown as ServiceWorkerGlobalScope;
const FILES = new Map(Object.entries({ ...PAGE, ...VOCABULARIES }));
const INDEX = "";
const SCOPE = worker.registration.scope;
const CACHE = `bpeek ${SCOPE}`; // other pages of this origin have their own
/** So long a slow network may take for the page itworker. */
const PATIENCE_MS = 3000;

worker.addEventListener("install", (event) => event.waitUntil(keepPage()));
worker.addEventListener("activate", (event) => event.waitUntil(dropOthers().then(() => worker.clients.claim())));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (request.method !== "GET" || path === undefined) return;
  if (path === INDEX) event.respondWith(index(request));
  else event.respondWith(file(path, event));
});

/** A page tells its script when it is up: if it is of this build, and the only one, this worker need not wait. */
worker.addEventListener("message", (event) => event.waitUntil(takeOver(event.data)));

async function keepPage(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const path of Object.keys(PAGE)) {
    if (await cache.match(key(path))) continue;
    // From the HTTP cache wherever the host allows it; the sum tells of a host that is being updated just now.
    await cache.put(key(path), await fetch(new URL(path, SCOPE), { integrity: FILES.get(path)! }));
  }
}

/** Nothing of older builds stays, but for vocabularies that this one has as well. */
async function dropOthers(): Promise<void> {
  const cache = await caches.open(CACHE);
  const ours = new Set([...FILES.keys()].map(key));
  for (const { url } of await cache.keys()) if (!ours.has(url)) await cache.delete(url);
}

async function takeOver(script: unknown): Promise<void> {
  const path = typeof script === "string" ? pathOf(script) : undefined;
  if (path === undefined) return;
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (open.length === 1) await worker.skipWaiting();
}

async function index(request: Request): Promise<Response> {
  const kept = await keptAs(INDEX);
  if (!kept) return fetch(request);
  const tooLong = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  const answer = await Promise.race([fetch(request).catch(() => undefined), tooLong]);
  return answer?.ok ? answer : kept;
}

async function file(path: string, event: FetchEvent): Promise<Response> {
  const kept = await keptAs(path);
  if (kept) return kept;
  const answer = await fetch(event.request);
  if (answer.ok) event.waitUntil(keep(path, answer.clone()).catch(() => {})); // no room, perhaps
  return answer;
}

async function keep(path: string, answer: Response): Promise<void> {
  if (!(await caches.has(CACHE))) return; // it was cleared
  const body = await answer.arrayBuffer();
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  if (`sha256-${btoa(String.fromCharCode(...sum))}` !== FILES.get(path)) return;
  await (await caches.open(CACHE)).put(key(path), new Response(body));
}

const keptAs = (path: string): Promise<Response | undefined> =>
  caches.match(key(path), { cacheName: CACHE, ignoreVary: true }).catch(() => undefined);

const key = (path: string): string => `${new URL(path, SCOPE).href}?${encodeURIComponent(FILES.get(path)!)}`;

/** Which of our files an address is of, if any. */
function pathOf(address: string): string | undefined {
  const { origin, pathname } = new URL(address);
  const whole = origin + pathname;
  const path = whole.startsWith(SCOPE) ? whole.slice(SCOPE.length).replace(/^index\.html$/, INDEX) : undefined;
  return path !== undefined && FILES.has(path) ? path : undefined;
}

/** After one visit the page opens without a network: a service worker keeps it (`sw/sw.ts`). */

import { SERVICE_WORKER } from "./trusted.js";

/** Once the page is up, so that a first visit is no slower for it. Where nothing can be kept, nothing is, and nobody is told. */
export async function keepOffline(): Promise<void> {
  if (import.meta.env.DEV || !("serviceWorker" in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.register(SERVICE_WORKER);
    const ask = () => registration.waiting?.postMessage(import.meta.url);
    ask();
    registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", ask));
  } catch {
    // A private window, or one that keeps nothing.
  }
}

/** What was kept of the page itself. It works on while it is open. */
export async function forgetOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const folder = new URL(".", document.baseURI).href;
  const registrations = await navigator.serviceWorker.getRegistrations();
  for (const registration of registrations) if (registration.scope === folder) await registration.unregister();
  await caches.delete(`bpeek ${folder}`);
}

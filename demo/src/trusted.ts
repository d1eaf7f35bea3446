/**
 * The page's policy lets no string become a script (`require-trusted-types-for 'script'`), but for two addresses: those of
 * the engine's worker and of the service worker. No string ever becomes HTML. Import it before anything else.
 */

const WORKER = /^assets\/worker-[\w-]+\.js$/;
export const SERVICE_WORKER = "sw.js";

interface TrustedTypes {
  createPolicy(name: "default", rules: { createScriptURL(address: string): string | null }): unknown;
}

export function isOurs(address: string, page: string): boolean {
  const folder = new URL(".", page).href;
  const { href } = new URL(address, page);
  const path = href.startsWith(folder) ? href.slice(folder.length) : "";
  return path === SERVICE_WORKER || WORKER.test(path);
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
trustedTypes?.createPolicy("default", {
  createScriptURL: (address) => (import.meta.env.DEV || isOurs(address, document.baseURI) ? address : null),
});

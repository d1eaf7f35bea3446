import { defineConfig } from "vite";

export default defineConfig({
  // Any folder of any static host will do.
  base: "./",
  build: {
    target: "es2023",
    // The page's policy allows no `data:` scripts or fetches.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
});

import { defineConfig } from "vite";

export default defineConfig({
  // Any folder of any static host will do.
  base: "./",
  build: {
    target: "es2023",
    // The page's policy allows no `data:` scripts or fetches.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", "sw/sw.ts"],
      // A service worker keeps its name, and lies beside the page that it serves.
      output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  worker: { format: "es" },
});

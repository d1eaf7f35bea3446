// dist/custom-elements.json tells editors about the elements: what their JSDoc says, without what the analyzer takes for public.
const documented = (items) => items?.filter(({ description, privacy }) => description && privacy !== "private");

export default {
  globs: ["src/token-view.ts", "src/token-compare.ts"],
  outdir: "dist",
  packagejson: false,
  plugins: [
    {
      name: "documented-names",
      packageLinkPhase({ customElementsManifest }) {
        for (const module of customElementsManifest.modules) {
          const built = (path) => path?.replace(/^\/?src\/(.*)\.ts$/, "dist/$1.js");
          module.path = built(module.path);
          module.declarations = module.declarations.filter(({ customElement }) => customElement);
          for (const element of module.declarations) {
            for (const kind of ["attributes", "events", "members"]) element[kind] = documented(element[kind]);
          }
          for (const each of module.exports) {
            each.declaration.module = built(each.declaration.module);
            if (each.kind === "custom-element-definition") each.name = module.declarations[0].tagName;
          }
        }
      },
    },
  ],
};

// What the README tells people with webpack to set.
import webpack from "webpack";

const config = {
  mode: "production",
  entry: "./plain.js",
  experiments: { outputModule: true },
  output: { module: true, path: `${import.meta.dirname}/site/webpack`, filename: "main.js" },
  optimization: { minimize: false },
};
webpack(config, (error, stats) => {
  console.log(error ?? stats.toString("errors-only"));
  process.exitCode = error || stats.hasErrors() ? 1 : 0;
});

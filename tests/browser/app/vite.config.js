export default {
  build: {
    target: "es2023", manifest: true,
    rolldownOptions: { input: (process.env.PAGES ?? "index").split(" ").map((name) => `${name}.html`) },
  },
};

const input = ["index.html", "suspense.html"].map((name) => new URL(name, import.meta.url).pathname);

export default { base: "./", esbuild: { jsx: "automatic" }, build: { rollupOptions: { input } } };

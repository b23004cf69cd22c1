import { nodeResolve } from "@rollup/plugin-node-resolve";

export default {
  // The package starts the worker as `worker.js` beside the file that its own code is in.
  input: { main: "main.js", worker: "kube-informer/worker" },
  output: { dir: "dist", format: "es", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  plugins: [nodeResolve()],
};

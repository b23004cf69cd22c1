// What must happen before the wasm is there: the remembered theme, and one sentence if the wasm never comes.
(() => {
  try {
    const theme = localStorage.getItem("kube-informer.theme");
    if (theme) document.documentElement.dataset.theme = theme;
  } catch {
    // No storage, no memory.
  }
  const fail = (reason) => {
    const says = document.getElementById("boot-says");
    // Once the app stands, it speaks for itself.
    if (!says || document.querySelector(".app")) return;
    says.setAttribute("role", "alert");
    says.textContent = `The dashboard could not be started (${reason}). Reload the page; if that does not help, build it again.`;
  };
  addEventListener("unhandledrejection", (event) => fail(event.reason?.message ?? String(event.reason)));
  addEventListener("error", (event) => fail(event.message || "a file is missing"), true);
})();

// Where there is no SharedWorker, one tab's worker serves all. What that takes is loaded only then.
globalThis.openElected = (name, script, onPlace, onError) => {
  const start = () => new Worker(script, { type: "module", name: "kube-informer" });
  const fail = (error) => onError(error.message);
  import("./elected.js")
    .then(({ openElected }) => openElected(name, fail, new AbortController().signal, start))
    .then(({ port, close }) => onPlace(port, close), fail);
};

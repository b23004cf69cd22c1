import { connect } from "kube-informer";

async function main() {
  // `?api=http://127.0.0.1:8001`; without it, the page's own origin.
  const factory = await connect({ url: new URLSearchParams(location.search).get("api") ?? location.origin });
  const pods = factory.forResource("v1/pods");
  pods.addEventListener("error", ({ error }) => console.error(error.code, error.message));
  const view = pods.view({ columns: { name: "{.metadata.name}", phase: "{.status.phase}" }, orderBy: [["name"]], window: [0, 50] });
  const list = document.querySelector("#pods");
  view.subscribe(() => {
    const items = view.getSnapshot().rows.map(({ name, phase }) => {
      const item = document.createElement("li");
      item.textContent = `${name} ${phase}`;
      return item;
    });
    list.replaceChildren(...items);
  });
  factory.start();
}

main();

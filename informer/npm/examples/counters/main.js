// Live counters of a cluster: pods by phase, pods and restarts by node. The engine updates the groups of each pod that changes; the
// page gets the changed groups only, and no pod.
import { connect } from "kube-informer";

const app = document.querySelector("#app");

main().catch((error) => (app.textContent = error.message));

async function main() {
  const factory = await connect();
  const pods = factory.forResource("v1/pods");
  factory.start();
  await show("Pods by phase", await pods.aggregate({ by: ["phase"], columns: { phase: "{.status.phase}" } }));
  const restarts = "{.status.containerStatuses[*].restartCount}";
  const byNode = { by: ["node"], of: [{ op: "sum", column: "restarts" }], columns: { node: "{.spec.nodeName}", restarts }, limit: 10 };
  await show("Restarts: the ten nodes with the most", await pods.aggregate(byNode));
}

/** Adds a section with one bar for each group of an aggregate. */
async function show(title, aggregate) {
  const section = app.appendChild(document.createElement("section"));
  const render = () => {
    const { groups, total, more } = aggregate.getSnapshot();
    const heading = document.createElement("h2");
    heading.textContent = `${title}: ${total?.[0] ?? 0}${more > 0 ? ` (and ${more} more)` : ""}`;
    section.replaceChildren(heading, ...groups.map((group) => bar(group, total[0])));
  };
  aggregate.subscribe(render);
  await aggregate.ready;
  render();
}

function bar({ key: [name], values: [value] }, total) {
  const line = document.createElement("div");
  const meter = line.appendChild(document.createElement("meter"));
  Object.assign(meter, { max: Math.max(total, 1), value });
  line.append(` ${name || "none"}: ${value}`);
  return line;
}

// A table of all pods without a framework. Only the rows in sight are in the page, however many pods there are.
import { connect } from "kube-informer";

const ROW = 24; // pixels, as in style.css
const SHOWN = 40; // rows in the document
const columns = {
  name: "{.metadata.name}",
  namespace: "{.metadata.namespace}",
  phase: "{.status.phase}",
  node: "{.spec.nodeName}",
  restarts: "{.status.containerStatuses[0].restartCount}",
};
const [input, output, alert, scroller, head, body] = ["input", "output", "[role=alert]", ".rows", "thead tr", "tbody"].map((name) => document.querySelector(name));
let orderBy = [["name", "asc"]];

main().catch((error) => (alert.textContent = error.message));

async function main() {
  const factory = await connect();
  const pods = factory.forResource("v1/pods");
  const view = pods.view({ columns, orderBy, window: [0, SHOWN] });
  const change = () => view.change({ filter: input.value, orderBy, window: range() });

  pods.addEventListener("error", () => render());
  pods.addEventListener("status", () => render());
  view.subscribe(() => render());
  input.addEventListener("input", change);
  scroller.addEventListener("scroll", () => view.setWindow(...range()));
  for (const name of Object.keys(columns)) {
    const header = head.appendChild(document.createElement("th"));
    header.textContent = name;
    header.addEventListener("click", () => {
      const [[by, direction]] = orderBy;
      orderBy = [[name, by === name && direction === "asc" ? "desc" : "asc"]];
      change();
    });
  }
  factory.start();

  function render() {
    const { rows, start, total } = view.getSnapshot();
    output.textContent = `${pods.status.freshness}: ${total} of ${pods.status.objects}`;
    alert.textContent = (view.error ?? pods.status.lastError)?.message ?? "";
    // The rows above and below are empty space.
    body.replaceChildren(space(start), ...rows.map(line), space(total - start - rows.length));
  }
}

function range() {
  const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 10);
  return [first, first + SHOWN];
}

function line(row) {
  const tr = document.createElement("tr");
  for (const name of Object.keys(columns)) tr.insertCell().textContent = row[name] ?? "";
  return tr;
}

function space(rows) {
  const tr = document.createElement("tr");
  tr.style.height = `${rows * ROW}px`;
  return tr;
}

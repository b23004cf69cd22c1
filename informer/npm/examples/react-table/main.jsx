// A table of all pods with React. Only the rows in sight are in the page, however many pods there are.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { connect } from "kube-informer";
import { useFactory, useInformer, useStatus, useView } from "kube-informer/react";

const ROW = 24; // pixels, as in style.css
const SHOWN = 40; // rows in the document
const columns = {
  name: "{.metadata.name}",
  namespace: "{.metadata.namespace}",
  phase: "{.status.phase}",
  node: "{.spec.nodeName}",
  restarts: "{.status.containerStatuses[0].restartCount}",
};

function App() {
  const { factory, error } = useFactory(connect);
  return error ? <p role="alert">{error.message}</p> : <Pods factory={factory} />;
}

function Pods({ factory }) {
  const [filter, setFilter] = useState("");
  const [[by, direction], setOrder] = useState(["name", "asc"]);
  const [first, setFirst] = useState(0);
  const pods = useInformer(factory, "v1/pods");
  const view = useView(pods, { columns, filter, orderBy: [[by, direction]], window: [first, first + SHOWN] });
  const { freshness, objects, lastError } = useStatus(pods);
  const error = view.error ?? lastError;
  const sort = (name) => setOrder([name, by === name && direction === "asc" ? "desc" : "asc"]);
  return (
    <>
      <label>
        Filter <input value={filter} onChange={(event) => setFilter(event.target.value)} placeholder="web phase=Running restarts>3" />
      </label>
      <output>{`${freshness}: ${view.total} of ${objects}`}</output>
      {error && <p role="alert">{error.message}</p>}
      <div className="rows" tabIndex={0} onScroll={({ currentTarget }) => setFirst(Math.max(0, Math.floor(currentTarget.scrollTop / ROW) - 10))}>
        <table>
          <thead>
            <tr>{Object.keys(columns).map((name) => <th key={name} onClick={() => sort(name)}>{name}</th>)}</tr>
          </thead>
          <tbody>
            <tr style={{ height: view.start * ROW }} />
            {view.rows.map((row) => (
              <tr key={row.key}>{Object.keys(columns).map((name) => <td key={name}>{row[name]}</td>)}</tr>
            ))}
            <tr style={{ height: (view.total - view.start - view.rows.length) * ROW }} />
          </tbody>
        </table>
      </div>
    </>
  );
}

createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);

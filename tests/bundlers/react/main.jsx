import { Component, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { connect } from "kube-informer";
import { useFactory, useInformer, useObject, useStatus, useView } from "kube-informer/react";

const parameters = new URLSearchParams(location.search);
const url = parameters.get("api") ?? location.origin;
const columns = { name: "{.metadata.name}", namespace: "{.metadata.namespace}", phase: "{.status.phase}", node: "{.spec.nodeName}" };

function App() {
  const [token, setToken] = useState("first");
  // Another function in each render, with the token of that render.
  const { factory, error } = useFactory(connect, parameters.has("token") ? { url, headers: () => ({ "X-Token": token }) } : { url });
  Object.assign(window, { factory, setToken });
  const [resource, setResource] = useState(parameters.get("resource") ?? "v1/pods");
  if (error) return <p role="alert">{error.message}</p>;
  return (
    <>
      <nav>
        {["v1/pods", "v1/nodes", "v1/podz"].map((name) => (
          <button key={name} aria-pressed={name === resource} onClick={() => setResource(name)}>{name}</button>
        ))}
      </nav>
      <Table key={resource} factory={factory} resource={resource} />
    </>
  );
}

function Table({ factory, resource }) {
  const [filter, setFilter] = useState("");
  const [selected, select] = useState(null);
  const informer = useInformer(factory, resource);
  const view = useView(informer, { columns, filter, orderBy: [["name"]], window: [0, 50] });
  const { freshness, lastError, lists } = useStatus(informer);
  window.renders = (window.renders ?? 0) + 1;
  return (
    <main>
      <input aria-label="Filter" value={filter} onChange={(event) => setFilter(event.target.value)} />
      <output data-lists={lists}>{`${freshness}: ${view.total} of ${view.unfiltered}`}</output>
      {(view.error ?? lastError) && <p role="alert">{(view.error ?? lastError).message}</p>}
      <table>
        <tbody>
          {view.rows.map(({ key, name, phase, node }) => (
            <tr key={key} onClick={() => select(key)}>
              <td>{name}</td>
              <td>{phase}</td>
              <td>{node}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Details informer={informer} name={selected} />
    </main>
  );
}

function Details({ informer, name }) {
  const object = useObject(informer, name);
  if (!name || object === undefined) return null;
  return <pre>{object === null ? `${name} is gone` : object.metadata.uid}</pre>;
}

/** Shows what a hook throws in a render. */
class Boundary extends Component {
  state = { error: null };
  static getDerivedStateFromError = (error) => ({ error });
  render = () => (this.state.error ? <p role="alert">{this.state.error.message}</p> : this.props.children);
}

createRoot(document.querySelector("#app")).render(<StrictMode><Boundary><App /></Boundary></StrictMode>);

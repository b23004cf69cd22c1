// The hooks that suspend. `window.shown` records each committed state of the list, and whether the fallback replaced it.
import { Component, StrictMode, Suspense, useEffect, useState, useTransition } from "react";
import { createRoot } from "react-dom/client";
import { InformerError, connect } from "kube-informer";
import { useFactory, useSuspenseInformer, useSuspenseObject, useSuspenseView } from "kube-informer/react";

// In the page, where a test can hold requests back.
const options = { worker: new URLSearchParams(location.search).has("shared") ? "shared" : false };
const columns = { name: "{.metadata.name}" };
window.shown = [];
window.renders = 0;

function App() {
  const { factory } = useFactory(connect, options);
  const [state, set] = useState({ resource: "v1/pods", filter: "", isThere: true, columns, twice: false, brief: null, object: null });
  const [isPending, startTransition] = useTransition();
  Object.assign(window, {
    factory,
    set: (change) => set((before) => ({ ...before, ...change })),
    transit: (change) => startTransition(() => set((before) => ({ ...before, ...change }))),
  });
  if (!factory) return <p>connecting</p>;
  return (
    <main aria-busy={isPending}>
      <Boundary>
        <Suspense fallback={<Fallback />}>
          {state.isThere && <List factory={factory} id="first" {...state} />}
          {state.isThere && state.twice && <List factory={factory} id="second" {...state} filter="" />}
        </Suspense>
      </Boundary>
      <Suspense fallback={<p>waiting</p>}>{state.brief && <List factory={factory} id="brief" {...state} resource={state.brief} />}</Suspense>
      <Boundary>
        <Suspense fallback={<p>reading</p>}>{state.object && <Details factory={factory} name={state.object} />}</Suspense>
      </Boundary>
    </main>
  );
}

function Fallback() {
  useEffect(() => void window.shown.push("fallback"), []);
  return <p role="status">loading</p>;
}

function List({ factory, id, resource, filter, columns }) {
  window.renders += 1;
  const informer = useSuspenseInformer(factory, resource);
  const { rows, total, pending, error } = useSuspenseView(informer, { columns, filter, orderBy: [["name"]], window: [0, 50] });
  const text = `${resource}: ${rows.length} of ${total}`;
  useEffect(() => void window.shown.push(text), [text]);
  return (
    <section id={id} aria-busy={pending} data-lists={informer.status.lists}>
      <output>{text}</output>
      {error && <p role="alert">{error.message}</p>}
      <ul>{rows.map(({ key, name }) => <li key={key}>{name}</li>)}</ul>
    </section>
  );
}

function Details({ factory, name }) {
  const object = useSuspenseObject(useSuspenseInformer(factory, "v1/pods"), name);
  return <pre>{object === null ? `${name} is gone` : object.metadata.uid}</pre>;
}

class Boundary extends Component {
  state = { error: null };
  static getDerivedStateFromError = (error) => ({ error });
  render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <p role="alert" data-code={error instanceof InformerError ? error.code : "other"}>
        {error.message} <button onClick={() => this.setState({ error: null })}>Try again</button>
      </p>
    );
  }
}

createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);

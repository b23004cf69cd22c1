// Containers of a pod: selection by name, by "*", or by default.

/** Annotation that names the default container, as in kubectl. */
export function defaultContainer({ metadata, spec }) {
  const named = metadata?.annotations?.["kubectl.kubernetes.io/default-container"];
  return (spec?.containers ?? []).some(({ name }) => name === named) ? named : spec?.containers?.[0]?.name;
}

/** The status of a container; undefined if there is none yet. */
export function statusOf(pod, container) {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod?.status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(({ name }) => name === container);
}

/** The selected containers of a pod: one by name, all for "*", else the default one. */
export function containersOf(pod, wanted) {
  const names = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? []), ...(pod.spec?.ephemeralContainers ?? [])].map(({ name }) => name);
  if (wanted === "*") return names;
  const name = wanted ?? defaultContainer(pod);
  return names.includes(name) ? [name] : [];
}

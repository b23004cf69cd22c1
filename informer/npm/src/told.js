// What a handler has been told: another engine begins anew, and the handler shall only hear of what is different.

/** What is kept of an object. Bodies are not: they are the handler's to keep, if it wants them. */
const trace = ({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } = {} }) => ({
  apiVersion, kind, metadata: { name, namespace, uid, resourceVersion },
});

export class Told {
  /** By key, what the handler knows of. */
  #known = new Map();
  /** While an engine begins anew: what it has not named yet. */
  #missing;
  #isInitial = true;

  /** Another engine is about to begin. */
  begin(hasSynced) {
    this.#missing = new Map(this.#known);
    this.#isInitial = !hasSynced;
  }

  /** Of the changes those that are news. */
  news(changes) {
    return changes.flatMap((change) => this.#read(change));
  }

  #read(change) {
    const { type, key, object } = change;
    const before = this.#known.get(key);
    this.#missing?.delete(key);
    if (type === "delete") this.#known.delete(key);
    else this.#known.set(key, trace(object));
    if (type !== "add") return change;
    if (!before || !this.#missing) return { ...change, isInInitialList: change.isInInitialList && this.#isInitial };
    const { uid, resourceVersion } = before.metadata;
    if (resourceVersion === object.metadata.resourceVersion) return [];
    return { type: "update", key, object, previous: { ...object, metadata: { ...object.metadata, uid, resourceVersion } } };
  }

  /** The engine has named everything: what is left is gone. */
  end() {
    const gone = [...(this.#missing ?? [])];
    this.#missing = undefined;
    return gone.map(([key, object]) => {
      this.#known.delete(key);
      return { type: "delete", key, object, finalStateUnknown: true };
    });
  }
}

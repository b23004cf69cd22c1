// Delivered state: the objects that a handler has received. After a change of engine it receives only the differences.

/**
 * About 140 bytes are cached per object, its key included: uid and version as one flat string. The key contains name and
 * namespace; kind and apiVersion are the same for all objects. Bodies are not cached: a handler that needs them keeps them.
 */
const pack = ({ uid = "", resourceVersion = "" } = {}) => [uid, resourceVersion].join(" ");

/** A uid contains no blank. */
function unpack(packed) {
  const at = packed.indexOf(" ");
  return { uid: packed.slice(0, at), resourceVersion: packed.slice(at + 1) };
}

export class DeliveredState {
  /** By key, the uid and version that the handler has received. */
  #delivered = new Map();
  /** `apiVersion` and `kind` of the objects. */
  #type = {};
  /** While a replacement engine replays its objects: the keys that it has not sent yet. */
  #missing;
  #isInitial = true;

  /** A replacement engine is about to replay its objects. */
  beginReplay(hasSynced) {
    this.#missing = new Set(this.#delivered.keys());
    this.#isInitial = !hasSynced;
  }

  /** Returns the changes that the handler has not received, and records them. */
  differences(changes) {
    return changes.flatMap((change) => this.#difference(change));
  }

  #difference(change) {
    const { type, key, object } = change;
    const before = this.#delivered.get(key);
    this.#missing?.delete(key);
    if (type === "delete") this.#delivered.delete(key);
    else {
      this.#delivered.set(key, pack(object.metadata));
      this.#type = { apiVersion: object.apiVersion, kind: object.kind };
    }
    if (type !== "add") return change;
    if (before === undefined || !this.#missing) return { ...change, isInInitialList: change.isInInitialList && this.#isInitial };
    const { uid, resourceVersion } = unpack(before);
    if (resourceVersion === object.metadata.resourceVersion) return [];
    return { type: "update", key, object, previous: { ...object, metadata: { ...object.metadata, uid, resourceVersion } } };
  }

  /** The replay is complete: returns deletions of the objects that it did not contain. */
  endReplay() {
    const missing = [...(this.#missing ?? [])];
    this.#missing = undefined;
    return missing.map((key) => {
      const object = this.#lastState(key);
      this.#delivered.delete(key);
      return { type: "delete", key, object, finalStateUnknown: true };
    });
  }

  /** Last known state of a deleted object: its metadata. */
  #lastState(key) {
    const slash = key.indexOf("/");
    const [namespace, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
    return { ...this.#type, metadata: { name, namespace, ...unpack(this.#delivered.get(key)) } };
  }
}

// Batch: the documents of one text, which are reviewed together and sent one after the other.
import { uncheckedReview, carryOut } from './review.js';

export class Batch {
  /** Objects with generated names that were created, each with the text of its document. */
  #created = [];

  /**
   * Reviews documents by `review(document)`; resolves to `{ all }`, or to `{ failed: { error, at } }`. An object that was already
   * created gets the method `none`: with a generated name, a second request would create another object.
   */
  async review(documents, review) {
    const all = [];
    const created = [...this.#created];
    const namespaces = new Set();
    for (const [at, document] of documents.entries()) {
      const known = created.findIndex(({ text }) => text === document.text);
      if (known >= 0) {
        all.push({ method: 'none', object: created.splice(known, 1)[0].object });
        continue;
      }
      try {
        const one = await review(document).catch((error) => uncheckedReview(document, error, namespaces));
        if (one.before === null && one.after.kind === 'Namespace' && one.after.apiVersion === 'v1') namespaces.add(one.after.metadata.name);
        all.push({ ...one, document });
      } catch (error) {
        return { failed: { error, at } };
      }
    }
    return { all };
  }

  /** Sends one reviewed change; resolves to the server's new object. */
  async send(client, one) {
    if (one.method === 'none') return one.object;
    const object = await carryOut(client, one);
    if (one.method === 'create') this.#created.push({ text: one.document.text, object });
    return object;
  }
}

// Batch: the documents of one text, which are reviewed together and carried out one after the other.
import { assume, carryOut } from './review.js';

export class Batch {
  /** Objects with generated names that were created, each with the text of its document. */
  #created = [];

  /**
   * Reviews documents by `review(document)`; resolves to `{ all }`, or to `{ failed: { error, at } }`. What was created
   * already has the method `none`: an object with a generated name would be another one each time.
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
        const one = await review(document).catch((error) => assume(document, error, namespaces));
        if (one.before === null && one.after.kind === 'Namespace' && one.after.apiVersion === 'v1') namespaces.add(one.after.metadata.name);
        all.push({ ...one, document });
      } catch (error) {
        return { failed: { error, at } };
      }
    }
    return { all };
  }

  /** Does what was reviewed; resolves to the object as the server has it then. */
  async send(client, one) {
    if (one.method === 'none') return one.object;
    const object = await carryOut(client, one);
    if (one.method === 'create') this.#created.push({ text: one.document.text, object });
    return object;
  }
}
